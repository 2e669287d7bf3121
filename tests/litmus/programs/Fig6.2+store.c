// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fig6.2+store: figure 6, second program, with a plain store for the read-modify-write.
// Verdict: not robust (2/6)
// Why: the second store of x may go under the first.
// Twin: Fig6.2+rmw

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
  s->r[0] = atomic_load_explicit(&s->y, memory_order_acquire);
}

static void thread_1(void *shared) {
  struct shared *s = shared;
  step();
  atomic_store_explicit(&s->y, 1, memory_order_release);
  step();
  atomic_store_explicit(&s->x, 2, memory_order_release);
}

const struct litmus litmus_program = {
    .size = sizeof(struct shared),
    .threads = 2,
    .thread = {thread_0, thread_1},
    .flagged = "0011 1100",
};
