// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// BAR+rel+acq+fences: BAR+rel+acq with an SC fence between the store and the loads of both threads.
// Verdict: robust (0/32)
// Why: the thread whose fence is second knows the other flag, however often it looks.
// Twin: BAR+rel+acq

#include "litmus.h"

#include <stdatomic.h>

struct shared {
  atomic_int x, y;
};

static void meet(atomic_int *mine, atomic_int *other) {
  step();
  atomic_store_explicit(mine, 1, memory_order_release);
  step();
  atomic_thread_fence(memory_order_seq_cst);
  for (int i = 0; i < 3; i++) {
    step();
    if (atomic_load_explicit(other, memory_order_acquire))
      break;
  }
}

static void thread_0(void *shared) {
  struct shared *s = shared;
  meet(&s->x, &s->y);
}

static void thread_1(void *shared) {
  struct shared *s = shared;
  meet(&s->y, &s->x);
}

const struct litmus litmus_program = {
    .size = sizeof(struct shared),
    .threads = 2,
    .thread = {thread_0, thread_1},
};
