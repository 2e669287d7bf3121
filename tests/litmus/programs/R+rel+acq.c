// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// R+rel+acq: two stores, against a store of the second location and a load of the first.
// Verdict: not robust (2/6)
// Why: the store of y and the load of x by the second thread are not ordered.
// Twin: R+rel+acq+fences

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
  atomic_store_explicit(&s->y, 1, memory_order_release);
}

static void thread_1(void *shared) {
  struct shared *s = shared;
  step();
  atomic_store_explicit(&s->y, 2, memory_order_release);
  step();
  s->r[0] = atomic_load_explicit(&s->x, memory_order_acquire);
}

const struct litmus litmus_program = {
    .size = sizeof(struct shared),
    .threads = 2,
    .thread = {thread_0, thread_1},
    .flagged = "0011 1100",
};
