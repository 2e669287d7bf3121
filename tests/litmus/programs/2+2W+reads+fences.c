// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 2+2W+reads+fences: 2+2W+reads with an SC fence between the stores of both threads.
// Verdict: robust (0/70)
// Why: the fences order all the stores, and each thread knows what it loads.
// Twin: 2+2W+reads

#include "litmus.h"

#include <stdatomic.h>

struct shared {
  atomic_int x, y;
  int r[2];
};

static void thread_0(void *shared) {
  struct shared *s = shared;
  step();
  atomic_store_explicit(&s->x, 1, memory_order_release);
  step();
  atomic_thread_fence(memory_order_seq_cst);
  step();
  atomic_store_explicit(&s->y, 2, memory_order_release);
  step();
  s->r[0] = atomic_load_explicit(&s->y, memory_order_acquire);
}

static void thread_1(void *shared) {
  struct shared *s = shared;
  step();
  atomic_store_explicit(&s->y, 1, memory_order_release);
  step();
  atomic_thread_fence(memory_order_seq_cst);
  step();
  atomic_store_explicit(&s->x, 2, memory_order_release);
  step();
  s->r[1] = atomic_load_explicit(&s->x, memory_order_acquire);
}

const struct litmus litmus_program = {
    .size = sizeof(struct shared),
    .threads = 2,
    .thread = {thread_0, thread_1},
};
