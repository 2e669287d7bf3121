// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// WRC+rel+acq: write-to-read causality with release and acquire.
// Verdict: robust (0/30)
// Why: release and acquire are transitive: the last thread acquires what the middle one read.
// Twin: WRC+rlx

#include "litmus.h"

#include <stdatomic.h>

struct shared {
  atomic_int x, y;
  int r[3];
};

static void thread_0(void *shared) {
  struct shared *s = shared;
  step();
  atomic_store_explicit(&s->x, 1, memory_order_release);
}

static void thread_1(void *shared) {
  struct shared *s = shared;
  step();
  s->r[0] = atomic_load_explicit(&s->x, memory_order_acquire);
  step();
  atomic_store_explicit(&s->y, 1, memory_order_release);
}

static void thread_2(void *shared) {
  struct shared *s = shared;
  step();
  s->r[1] = atomic_load_explicit(&s->y, memory_order_acquire);
  step();
  s->r[2] = atomic_load_explicit(&s->x, memory_order_acquire);
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
};
