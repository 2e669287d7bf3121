// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// AtomicWait+sc: what libstdc++'s wait and notify_one do, the value seq_cst.
// Verdict: robust (0/6)
// Why: all accesses are seq_cst: a waiter sees the new value, or the notifier sees the waiter.
// Twin: AtomicWait+rel+acq

#include "litmus.h"

#include <stdatomic.h>

struct shared {
  atomic_int value, waiters;
  int r[2];
};

// std::atomic::wait(0), after it found the old value and before it sleeps.
static void thread_0(void *shared) {
  struct shared *s = shared;
  step();
  atomic_fetch_add(&s->waiters, 1);
  step();
  s->r[0] = atomic_load(&s->value);
}

// A store, then std::atomic::notify_one(), which does nothing when nobody waits.
static void thread_1(void *shared) {
  struct shared *s = shared;
  step();
  atomic_store(&s->value, 1);
  step();
  s->r[1] = atomic_load(&s->waiters);
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
