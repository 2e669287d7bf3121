// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// R+rel+acq+fences: R with an SC fence between the accesses of both threads.
// Verdict: robust (0/20)
// Why: the fences order both threads.
// Twin: R+rel+acq

#include "litmus.h"

#include <stdatomic.h>

struct shared {
  atomic_int x, y;
  int r[1];
};

static void thread_0(void *shared) {
  struct shared *s = shared;
  step();
  atomic_store_explicit(&s->x, 1, memory_order_release);
  step();
  atomic_thread_fence(memory_order_seq_cst);
  step();
  atomic_store_explicit(&s->y, 1, memory_order_release);
}

static void thread_1(void *shared) {
  struct shared *s = shared;
  step();
  atomic_store_explicit(&s->y, 2, memory_order_release);
  step();
  atomic_thread_fence(memory_order_seq_cst);
  step();
  s->r[0] = atomic_load_explicit(&s->x, memory_order_acquire);
}

const struct litmus litmus_program = {
    .size = sizeof(struct shared),
    .threads = 2,
    .thread = {thread_0, thread_1},
};
