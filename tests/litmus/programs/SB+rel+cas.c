// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SB+rel+cas: store buffering whose reads are strong compare-exchanges that fail.
// Verdict: not robust (2/6)
// Why: a compare-exchange that fails is a load, and may miss the other store.
// Twin: SB+rel+cas+fences

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
  int expected = 5;
  step();
  atomic_compare_exchange_strong_explicit(&s->y, &expected, 6, memory_order_acq_rel,
                                          memory_order_acquire);
  s->r[0] = expected;
}

static void thread_1(void *shared) {
  struct shared *s = shared;
  step();
  atomic_store_explicit(&s->y, 1, memory_order_release);
  int expected = 5;
  step();
  atomic_compare_exchange_strong_explicit(&s->x, &expected, 6, memory_order_acq_rel,
                                          memory_order_acquire);
  s->r[1] = expected;
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
