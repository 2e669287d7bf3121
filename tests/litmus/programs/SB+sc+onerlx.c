// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SB+sc+onerlx: store buffering, all seq_cst but the second thread's load, which is relaxed.
// Verdict: not robust (2/6)
// Why: the relaxed load takes no part in the order of the others, so it may miss the store of x.
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
  atomic_store(&s->x, 1);
  step();
  s->r[0] = atomic_load(&s->y);
}

static void thread_1(void *shared) {
  struct shared *s = shared;
  step();
  atomic_store(&s->y, 1);
  step();
  s->r[1] = atomic_load_explicit(&s->x, memory_order_relaxed);
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
