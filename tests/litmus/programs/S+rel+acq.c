// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// S+rel+acq: message passing where the reader stores the data instead of loading it.
// Verdict: robust (0/6)
// Why: the store after the acquire comes after the store that was released.
// Twin: S+rlx

#include "litmus.h"

#include <stdatomic.h>

struct shared {
  atomic_int x, y;
  int r[1];
};

static void thread_0(void *shared) {
  struct shared *s = shared;
  step();
  atomic_store_explicit(&s->x, 2, memory_order_release);
  step();
  atomic_store_explicit(&s->y, 1, memory_order_release);
}

static void thread_1(void *shared) {
  struct shared *s = shared;
  step();
  s->r[0] = atomic_load_explicit(&s->y, memory_order_acquire);
  step();
  atomic_store_explicit(&s->x, 1, memory_order_release);
}

const struct litmus litmus_program = {
    .size = sizeof(struct shared),
    .threads = 2,
    .thread = {thread_0, thread_1},
};
