// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// IRIW+rel+acq+fences: two writers; two readers with an SC fence between their loads.
// Verdict: robust (0/1120)
// Why: the fences order the readers.
// Twin: IRIW+rel+acq

#include "litmus.h"

#include <stdatomic.h>

struct shared {
  atomic_int x, y;
  int r[4];
};

static void thread_0(void *shared) {
  struct shared *s = shared;
  step();
  atomic_store_explicit(&s->x, 1, memory_order_release);
}

static void thread_1(void *shared) {
  struct shared *s = shared;
  step();
  atomic_store_explicit(&s->y, 1, memory_order_release);
}

static void thread_2(void *shared) {
  struct shared *s = shared;
  step();
  s->r[0] = atomic_load_explicit(&s->x, memory_order_acquire);
  step();
  atomic_thread_fence(memory_order_seq_cst);
  step();
  s->r[1] = atomic_load_explicit(&s->y, memory_order_acquire);
}

static void thread_3(void *shared) {
  struct shared *s = shared;
  step();
  s->r[2] = atomic_load_explicit(&s->y, memory_order_acquire);
  step();
  atomic_thread_fence(memory_order_seq_cst);
  step();
  s->r[3] = atomic_load_explicit(&s->x, memory_order_acquire);
}

static int weak(const void *shared) {
  const struct shared *s = shared;
  return s->r[0] == 1 && s->r[1] == 0 && s->r[2] == 1 && s->r[3] == 0;
}

const struct litmus litmus_program = {
    .size = sizeof(struct shared),
    .threads = 4,
    .thread = {thread_0, thread_1, thread_2, thread_3},
    .weak = weak,
};
