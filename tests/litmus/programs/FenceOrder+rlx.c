// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// FenceOrder+rlx: two SC fences whose order nothing in the program can tell.
// Verdict: robust (0/90)
// Why: the order of the fences alone is no order of the accesses around them: to count it as one
//   would report a program that has SC results only.

#include "litmus.h"

#include <stdatomic.h>

struct shared {
  atomic_int x, y;
  int r[2];
};

static void thread_0(void *shared) {
  struct shared *s = shared;
  step();
  atomic_store_explicit(&s->x, 1, memory_order_relaxed);
  step();
  s->r[0] = atomic_load_explicit(&s->y, memory_order_relaxed);
}

static void thread_1(void *shared) {
  struct shared *s = shared;
  step();
  atomic_store_explicit(&s->y, 1, memory_order_relaxed);
  step();
  atomic_thread_fence(memory_order_seq_cst);
}

static void thread_2(void *shared) {
  struct shared *s = shared;
  step();
  atomic_thread_fence(memory_order_seq_cst);
  step();
  s->r[1] = atomic_load_explicit(&s->x, memory_order_relaxed);
}

const struct litmus litmus_program = {
    .size = sizeof(struct shared),
    .threads = 3,
    .thread = {thread_0, thread_1, thread_2},
};
