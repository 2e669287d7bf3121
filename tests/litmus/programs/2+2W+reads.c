// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 2+2W+reads: two stores each, to the locations in opposite orders, and a load of the last one.
// Verdict: not robust (8/20)
// Why: the stores of x and y may be ordered against program order in both threads.
// Twin: 2+2W+reads+fences

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
  atomic_store_explicit(&s->y, 2, memory_order_release);
  step();
  s->r[0] = atomic_load_explicit(&s->y, memory_order_acquire);
}

static void thread_1(void *shared) {
  struct shared *s = shared;
  step();
  atomic_store_explicit(&s->y, 1, memory_order_release);
  step();
  atomic_store_explicit(&s->x, 2, memory_order_release);
  step();
  s->r[1] = atomic_load_explicit(&s->x, memory_order_acquire);
}

const struct litmus litmus_program = {
    .size = sizeof(struct shared),
    .threads = 2,
    .thread = {thread_0, thread_1},
    .flagged = "000111 001011 001101 001110 110001 110010 110100 111000",
};
