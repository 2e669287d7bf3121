// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Example3.1+fences: example 3.1 with an SC fence after the first store of both threads.
// Verdict: robust (0/70)
// Why: one of the two fences comes first, and what follows the other one knows the store before it.
// Twin: Example3.1

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
  s->r[0] = atomic_load_explicit(&s->y, memory_order_acquire);
  step();
  atomic_store_explicit(&s->x, 2, memory_order_release);
}

static void thread_1(void *shared) {
  struct shared *s = shared;
  step();
  atomic_store_explicit(&s->y, 1, memory_order_release);
  step();
  atomic_thread_fence(memory_order_seq_cst);
  step();
  s->r[1] = atomic_load_explicit(&s->x, memory_order_acquire);
  step();
  atomic_store_explicit(&s->y, 2, memory_order_release);
}

const struct litmus litmus_program = {
    .size = sizeof(struct shared),
    .threads = 2,
    .thread = {thread_0, thread_1},
};
