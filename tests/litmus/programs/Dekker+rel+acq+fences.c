// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dekker+rel+acq+fences: Dekker's entry to a critical section, tried once, with SC fences.
// Verdict: robust (0/90)
// Why: the fences order each store before the load that follows.
// Twin: Dekker+rel+acq

#include "litmus.h"

#include <stdatomic.h>

struct shared {
  atomic_int x, y;
  int data;
};

static void enter_and_leave(struct shared *s, atomic_int *mine, atomic_int *other) {
  step();
  atomic_store_explicit(mine, 1, memory_order_release);
  step();
  atomic_thread_fence(memory_order_seq_cst);
  step();
  if (atomic_load_explicit(other, memory_order_acquire) == 0) {
    step();
    s->data++;
  }
  step();
  atomic_store_explicit(mine, 0, memory_order_release);
}

static void thread_0(void *shared) {
  struct shared *s = shared;
  enter_and_leave(s, &s->x, &s->y);
}

static void thread_1(void *shared) {
  struct shared *s = shared;
  enter_and_leave(s, &s->y, &s->x);
}

const struct litmus litmus_program = {
    .size = sizeof(struct shared),
    .threads = 2,
    .thread = {thread_0, thread_1},
};
