// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fig6.1+rmw: store buffering with one store made a read-modify-write (figure 6, first program).
// Verdict: not robust (2/6)
// Why: the load of x by the second thread may miss the read-modify-write as it could a store.
// Twin: Fig6.1+rmw+fences

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
  s->r[0] = atomic_load_explicit(&s->y, memory_order_acquire);
}

static void thread_1(void *shared) {
  struct shared *s = shared;
  step();
  atomic_store_explicit(&s->y, 1, memory_order_release);
  step();
  s->r[1] = atomic_load_explicit(&s->x, memory_order_acquire);
}

const struct litmus litmus_program = {
    .size = sizeof(struct shared),
    .threads = 2,
    .thread = {thread_0, thread_1},
    .flagged = "0011 1100",
};
