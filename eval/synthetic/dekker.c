// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dekker's lock, 2 threads.
//
// Robust: an SC fence after each raising of a flag orders it before the look at the other one.
// Weakened: release and acquire alone; both threads may see the other flag down.

#include "synthetic.h"

static atomic_int flag[2], turn;

static void lock(int self) {
  const int other = 1 - self;
  STORE(flag[self], 1, release);
  FENCE();
  while (LOAD(flag[other], acquire)) {
    if (LOAD(turn, acquire) != self) {
      STORE(flag[self], 0, release);
      AWAIT(turn, self, acquire);
      STORE(flag[self], 1, release);
      FENCE();
    }
    sched_yield();
  }
}

static void unlock(int self) {
  STORE(turn, 1 - self, release);
  STORE(flag[self], 0, release);
}

static void thread(int self) {
  for (int i = 0; i < rounds; i++) {
    lock(self);
    visit();
    unlock(self);
  }
}

int main(int argc, char **argv) {
  return run(&(struct program){2, 2, thread, all_visits_counted}, argc, argv);
}
