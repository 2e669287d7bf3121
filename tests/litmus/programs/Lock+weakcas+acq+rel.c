// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lock+weakcas+acq+rel: a store and a load, relaxed, under a lock of a weak compare-exchange, tried
// twice.
// Verdict: robust (0/20)
// Why: who takes the lock acquires what was stored under it.
// Twin: Lock+weakcas+rlx

#include "litmus.h"

#include <stdatomic.h>

struct shared {
  atomic_int lock, x, y;
  int r[2];
};

static void lock_and_unlock(struct shared *s, atomic_int *mine, atomic_int *other, int *result) {
  for (int i = 0;; i++) {
    int expected = 0;
    if (i == 2)
      return; // *result stays -1
    step();
    if (atomic_compare_exchange_weak_explicit(&s->lock, &expected, 1, memory_order_acquire,
                                              memory_order_relaxed))
      break;
  }
  step();
  atomic_store_explicit(mine, 1, memory_order_relaxed);
  step();
  *result = atomic_load_explicit(other, memory_order_relaxed);
  step();
  atomic_store_explicit(&s->lock, 0, memory_order_release);
}

static void init(void *shared) {
  struct shared *s = shared;
  s->r[0] = s->r[1] = -1;
}

static void thread_0(void *shared) {
  struct shared *s = shared;
  lock_and_unlock(s, &s->x, &s->y, &s->r[0]);
}

static void thread_1(void *shared) {
  struct shared *s = shared;
  lock_and_unlock(s, &s->y, &s->x, &s->r[1]);
}

static int weak(const void *shared) {
  const struct shared *s = shared;
  return s->r[0] == 0 && s->r[1] == 0;
}

const struct litmus litmus_program = {
    .size = sizeof(struct shared),
    .threads = 2,
    .thread = {thread_0, thread_1},
    .init = init,
    .weak = weak,
};
