// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fig6.1+rmw+fences: Fig6.1+rmw with an SC fence between the accesses of both threads.
// Verdict: robust (0/20)
// Why: the fences order a read-modify-write as they do a store.
// Twin: Fig6.1+rmw

#include "litmus.h"

#include <stdatomic.h>

struct shared {
  atomic_int x, y;
  int r[2];
};

static void thread_0(void *shared) {
  struct shared *s = shared;
  step();
  atomic_fetch_add_explicit(&s->x, 1, memory_order_acq_rel);
  step();
  atomic_thread_fence(memory_order_seq_cst);
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
  s->r[1] = atomic_load_explicit(&s->x, memory_order_acquire);
}

const struct litmus litmus_program = {
    .size = sizeof(struct shared),
    .threads = 2,
    .thread = {thread_0, thread_1},
};
