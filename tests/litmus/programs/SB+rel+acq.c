// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SB+rel+acq: store buffering with release stores and acquire loads.
// Verdict: not robust (2/6)
// Why: nothing orders a release store before a later acquire load of another location, so both
//   loads may miss the other store.
// Twin: SB+rel+acq+fences

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
}

static void thread_1(void *shared) {
  struct shared *s = shared;
  step();
  atomic_store_explicit(&s->y, 1, memory_order_release);
  step();
  s->r[1] = atomic_load_explicit(&s->x, memory_order_acquire);
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
