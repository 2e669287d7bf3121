// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 2+2W: two release stores each, to the locations in opposite orders.
// Verdict: not robust (2/6)
// Why: the first store of each thread may go over the second of the other, which no SC run does.
// Twin: 2+2W+fences

#include "litmus.h"

#include <stdatomic.h>

struct shared {
  atomic_int x, y;
};

static void thread_0(void *shared) {
  struct shared *s = shared;
  step();
  atomic_store_explicit(&s->x, 1, memory_order_release);
  step();
  atomic_store_explicit(&s->y, 2, memory_order_release);
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
