// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Peterson's lock, 2 threads.
//
// Robust: SC fences after the flag and after the turn.
// Weakened: without the one after the turn; both threads may see the other flag down.

#include "synthetic.h"

static atomic_int flag[2], turn;

static void lock(int self) {
  const int other = 1 - self;
  STORE(flag[self], 1, release);
  SC_FENCE();
  STORE(turn, other, release);
  FENCE();
  while (LOAD(flag[other], acquire) && LOAD(turn, acquire) == other)
    sched_yield();
}

static void thread(int self) {
  for (int i = 0; i < rounds; i++) {
    lock(self);
    visit();
    STORE(flag[self], 0, release);
  }
}

int main(int argc, char **argv) {
  return run(&(struct program){2, 2, thread, all_visits_counted}, argc, argv);
}
