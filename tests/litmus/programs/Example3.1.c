// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Example3.1: store, load, store again, against the same with the locations swapped (the paper's
// example 3.1).
// Verdict: not robust (8/20)
// Why: where a load comes before the other thread's first store, the later load of the other thread
//   may miss a store that SC puts before it.
// Twin: Example3.1+fences

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
  s->r[0] = atomic_load_explicit(&s->y, memory_order_acquire);
  step();
  atomic_store_explicit(&s->x, 2, memory_order_release);
}

static void thread_1(void *shared) {
  struct shared *s = shared;
  step();
  atomic_store_explicit(&s->y, 1, memory_order_release);
  step();
  s->r[1] = atomic_load_explicit(&s->x, memory_order_acquire);
  step();
  atomic_store_explicit(&s->y, 2, memory_order_release);
}

const struct litmus litmus_program = {
    .size = sizeof(struct shared),
    .threads = 2,
    .thread = {thread_0, thread_1},
    .flagged = "000111 001011 001101 001110 110001 110010 110100 111000",
};
