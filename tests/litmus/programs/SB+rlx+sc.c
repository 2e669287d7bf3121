// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SB+rlx+sc: store buffering with relaxed stores and seq_cst loads.
// Verdict: missed (0/6)
// Why: C11 allows both loads to read 0, as the stores are not seq_cst; the tool treats a seq_cst
//   access as an SC fence before it, which hides this one.
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
};
