// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A spin lock (test and test-and-set), 2 to 16 threads.
//
// Robust: who gets it has acquired what the one before has released.
// Weakened: the release is relaxed; what the lock protects may be stale.

#include "synthetic.h"

#ifdef WEAKENED
#define UNLOCK() STORE(taken, 0, relaxed)
#else
#define UNLOCK() STORE(taken, 0, release)
#endif

static atomic_int taken;

static void thread(int self) {
  (void)self;
  for (int i = 0; i < rounds; i++) {
    do {
      while (LOAD(taken, relaxed))
        sched_yield();
    } while (atomic_exchange_explicit(&taken, 1, memory_order_acquire));
    visit();
    UNLOCK();
  }
}

int main(int argc, char **argv) {
  return run(&(struct program){2, MAX_THREADS, thread, all_visits_counted}, argc, argv);
}
