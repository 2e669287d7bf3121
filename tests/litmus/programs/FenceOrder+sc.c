// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// FenceOrder+sc: two seq_cst loads of locations that nobody stores to, among relaxed accesses.
// Verdict: robust (0/90)
// Why: as FenceOrder+rlx: nothing in the program can tell in which order the seq_cst loads are.

#include "litmus.h"

#include <stdatomic.h>

struct shared {
  atomic_int v, w, y, z;
  int r[4];
};

static void thread_0(void *shared) {
  struct shared *s = shared;
  step();
  atomic_store_explicit(&s->y, 1, memory_order_relaxed);
  step();
  atomic_store_explicit(&s->z, 1, memory_order_relaxed);
}

static void thread_1(void *shared) {
  struct shared *s = shared;
  step();
  s->r[0] = atomic_load_explicit(&s->z, memory_order_relaxed);
  step();
  s->r[1] = atomic_load(&s->w);
}

static void thread_2(void *shared) {
  struct shared *s = shared;
  step();
  s->r[2] = atomic_load(&s->v);
  step();
  s->r[3] = atomic_load_explicit(&s->y, memory_order_relaxed);
}

const struct litmus litmus_program = {
    .size = sizeof(struct shared),
    .threads = 3,
    .thread = {thread_0, thread_1, thread_2},
};
