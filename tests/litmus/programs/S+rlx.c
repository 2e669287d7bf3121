// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// S+rlx: S with every access relaxed.
// Verdict: not robust (1/6)
// Why: without synchronisation the second store of x may go under the first.
// Twin: S+rel+acq

#include "litmus.h"

#include <stdatomic.h>

struct shared {
  atomic_int x, y;
  int r[1];
};

static void thread_0(void *shared) {
  struct shared *s = shared;
  step();
  atomic_store_explicit(&s->x, 2, memory_order_relaxed);
  step();
  atomic_store_explicit(&s->y, 1, memory_order_relaxed);
}

static void thread_1(void *shared) {
  struct shared *s = shared;
  step();
  s->r[0] = atomic_load_explicit(&s->y, memory_order_relaxed);
  step();
  atomic_store_explicit(&s->x, 1, memory_order_relaxed);
}

const struct litmus litmus_program = {
    .size = sizeof(struct shared),
    .threads = 2,
    .thread = {thread_0, thread_1},
    .flagged = "0011",
};
