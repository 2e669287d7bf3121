// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// WRC+rlx: write-to-read causality, relaxed.
// Verdict: not robust (1/30)
// Why: without synchronisation the last thread may miss the first store.
// Twin: WRC+rel+acq

#include "litmus.h"

#include <stdatomic.h>

struct shared {
  atomic_int x, y;
  int r[3];
};

static void thread_0(void *shared) {
  struct shared *s = shared;
  step();
  atomic_store_explicit(&s->x, 1, memory_order_relaxed);
}

static void thread_1(void *shared) {
  struct shared *s = shared;
  step();
  s->r[0] = atomic_load_explicit(&s->x, memory_order_relaxed);
  step();
  atomic_store_explicit(&s->y, 1, memory_order_relaxed);
}

static void thread_2(void *shared) {
  struct shared *s = shared;
  step();
  s->r[1] = atomic_load_explicit(&s->y, memory_order_relaxed);
  step();
  s->r[2] = atomic_load_explicit(&s->x, memory_order_relaxed);
}

static int weak(const void *shared) {
  const struct shared *s = shared;
  return s->r[0] == 1 && s->r[1] == 1 && s->r[2] == 0;
}

const struct litmus litmus_program = {
    .size = sizeof(struct shared),
    .threads = 3,
    .thread = {thread_0, thread_1, thread_2},
    .weak = weak,
    .flagged = "01122",
};
