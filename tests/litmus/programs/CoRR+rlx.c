// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CoRR+rlx: two relaxed stores to one location, two readers that load it twice.
// Verdict: robust (0/90)
// Why: accesses of a single location are coherent whatever their order.

#include "litmus.h"

#include <stdatomic.h>

struct shared {
  atomic_int x;
  int r[4];
};

static void thread_0(void *shared) {
  struct shared *s = shared;
  step();
  atomic_store_explicit(&s->x, 1, memory_order_relaxed);
  step();
  atomic_store_explicit(&s->x, 2, memory_order_relaxed);
}

static void thread_1(void *shared) {
  struct shared *s = shared;
  step();
  s->r[0] = atomic_load_explicit(&s->x, memory_order_relaxed);
  step();
  s->r[1] = atomic_load_explicit(&s->x, memory_order_relaxed);
}

static void thread_2(void *shared) {
  struct shared *s = shared;
  step();
  s->r[2] = atomic_load_explicit(&s->x, memory_order_relaxed);
  step();
  s->r[3] = atomic_load_explicit(&s->x, memory_order_relaxed);
}

static int weak(const void *shared) {
  const struct shared *s = shared;
  return (s->r[0] == 2 && s->r[1] == 1) || (s->r[2] == 2 && s->r[3] == 1);
}

const struct litmus litmus_program = {
    .size = sizeof(struct shared),
    .threads = 3,
    .thread = {thread_0, thread_1, thread_2},
    .weak = weak,
};
