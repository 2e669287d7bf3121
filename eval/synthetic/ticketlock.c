// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A ticket lock, 2 to 16 threads.
//
// Robust: who is served has acquired what the one before has released.
// Weakened: the wait is relaxed; what the lock protects may be stale.

#include "synthetic.h"

#ifdef WEAKENED
#define WAIT_ORDER relaxed
#else
#define WAIT_ORDER acquire
#endif
#define AWAIT_IN(x, value, order) AWAIT(x, value, order)

static atomic_int next, served;

static void thread(int self) {
  (void)self;
  for (int i = 0; i < rounds; i++) {
    const int mine = ADD(next, 1, relaxed);
    AWAIT_IN(served, mine, WAIT_ORDER);
    visit();
    STORE(served, mine + 1, release);
  }
}

int main(int argc, char **argv) {
  return run(&(struct program){2, MAX_THREADS, thread, all_visits_counted}, argc, argv);
}
