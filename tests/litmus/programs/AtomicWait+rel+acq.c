// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// AtomicWait+rel+acq: what libstdc++'s wait and notify_one do, the value release and acquire.
// Verdict: not robust (2/6)
// Why: the notifier's load may miss the waiter and the waiter's load the store: nobody wakes it.
//   libstdc++ then sleeps in a futex call, which compares the value once more, but that is only one
//   more load that may miss the store.
// Twin: AtomicWait+sc

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
  s->r[0] = atomic_load_explicit(&s->value, memory_order_acquire);
}

// A store, then std::atomic::notify_one(), which does nothing when nobody waits.
static void thread_1(void *shared) {
  struct shared *s = shared;
  step();
  atomic_store_explicit(&s->value, 1, memory_order_release);
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
    .flagged = "0011 1100",
};
