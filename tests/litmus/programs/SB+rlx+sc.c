// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SB+rlx+sc: store buffering with relaxed stores and seq_cst loads.
// Verdict: not robust (2/6)
// Why: the stores take no part in the order of the seq_cst loads, so both loads may read 0.
// Twin: SB+sc

#include "litmus.h"

#include <stdatomic.h>

struct shared {
  atomic_int x, y;
  int r[2];
};

static void thread_0(void *shared) {
  struct shared *s = shared;
  step();
  atomic_store_explicit(&s->x, 1, memory_order_relaxed);
  step();
  s->r[0] = atomic_load(&s->y);
}

static void thread_1(void *shared) {
  struct shared *s = shared;
  step();
  atomic_store_explicit(&s->y, 1, memory_order_relaxed);
  step();
  s->r[1] = atomic_load(&s->x);
}

static int weak(const void *shared) {
  const struct shared *s = shared;
  return s->r[0] == 0 && s->r[1] == 0;
}

const struct litmus litmus_program = {
    .size = sizeof(struct shared),
    .threads = 2,
    .thread = {thread_0, thread_1},
    .weak = weak,
    .flagged = "0011 1100",
};
