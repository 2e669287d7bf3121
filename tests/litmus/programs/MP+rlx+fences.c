// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MP+rlx+fences: relaxed message passing with a release and an acquire fence.
// Verdict: robust (0/20)
// Why: the two fences synchronise through the relaxed flag.
// Twin: MP+rlx+relfence

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
  atomic_thread_fence(memory_order_release);
  step();
  atomic_store_explicit(&s->y, 1, memory_order_relaxed);
}

static void thread_1(void *shared) {
  struct shared *s = shared;
  step();
  s->r[0] = atomic_load_explicit(&s->y, memory_order_relaxed);
  step();
  atomic_thread_fence(memory_order_acquire);
  step();
  s->r[1] = atomic_load_explicit(&s->x, memory_order_relaxed);
}

static int weak(const void *shared) {
  const struct shared *s = shared;
  return s->r[0] == 1 && s->r[1] == 0;
}

const struct litmus litmus_program = {
    .size = sizeof(struct shared),
    .threads = 2,
    .thread = {thread_0, thread_1},
    .weak = weak,
};
