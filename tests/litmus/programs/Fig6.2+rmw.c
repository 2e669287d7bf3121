// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fig6.2+rmw: an acq_rel read-modify-write of x and a load of y, against stores of y and x (figure
// 6, second program).
// Verdict: robust (0/6)
// Why: a store cannot be put just under a read-modify-write, so no other order is possible.
// Twin: Fig6.2+store

#include "litmus.h"

#include <stdatomic.h>

struct shared {
  atomic_int x, y;
  int r[1];
};

static void thread_0(void *shared) {
  struct shared *s = shared;
  step();
  atomic_fetch_add_explicit(&s->x, 1, memory_order_acq_rel);
  step();
  s->r[0] = atomic_load_explicit(&s->y, memory_order_acquire);
}

static void thread_1(void *shared) {
  struct shared *s = shared;
  step();
  atomic_store_explicit(&s->y, 1, memory_order_release);
  step();
  atomic_store_explicit(&s->x, 1, memory_order_release);
}

const struct litmus litmus_program = {
    .size = sizeof(struct shared),
    .threads = 2,
    .thread = {thread_0, thread_1},
};
