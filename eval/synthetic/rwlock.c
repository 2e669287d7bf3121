// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A lock for reading and writing, in one word as Linux had it, 2 to 16 threads: a reader takes one
// from the word, a writer takes all of it; who has taken too much gives it back and waits.
//
// Robust: who gets the lock has acquired what those before have released.
// Weakened: giving the lock back is relaxed; what it protects may be stale.

#include "synthetic.h"

#ifdef WEAKENED
#define GIVE(n) ADD(word, n, relaxed)
#else
#define GIVE(n) ADD(word, n, release)
#endif

enum { ALL = 0x100000 };

static atomic_int word = ALL, left, right;

static void lock_for_reading(void) {
  while (ADD(word, -1, acquire) <= 0) {
    ADD(word, 1, relaxed);
    while (LOAD(word, relaxed) <= 0)
      sched_yield();
  }
}

static void lock_for_writing(void) {
  while (ADD(word, -ALL, acquire) != ALL) {
    ADD(word, ALL, relaxed);
    while (LOAD(word, relaxed) != ALL)
      sched_yield();
  }
}

static void thread(int self) {
  for (int i = 0; i < rounds; i++) {
    if (i % 2 == 0) {
      lock_for_reading();
      own[self].wrong += LOAD(left, relaxed) != LOAD(right, relaxed);
      GIVE(1);
    } else {
      lock_for_writing();
      STORE(left, LOAD(left, relaxed) + 1, relaxed);
      STORE(right, LOAD(right, relaxed) + 1, relaxed);
      GIVE(ALL);
    }
  }
}

int main(int argc, char **argv) {
  return run(&(struct program){2, MAX_THREADS, thread, none_wrong}, argc, argv);
}
