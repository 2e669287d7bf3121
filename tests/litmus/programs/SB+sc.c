// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SB+sc: store buffering with the default order, seq_cst.
// Verdict: robust (0/6)
// Why: a program of seq_cst accesses alone has sequentially consistent runs only.
// Twin: SB+sc+rlx

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
