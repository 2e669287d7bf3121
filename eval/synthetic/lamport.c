// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lamport's fast mutex, 2 to 16 threads.
//
// Robust: an SC fence after each write, and between two looks at different objects.
// Weakened: release and acquire alone; two threads may come in on the fast path.

#include "synthetic.h"

static atomic_int x, y, wants[MAX_THREADS + 1]; // threads count from 1 here

static void write_and_fence(atomic_int *location, int value) {
  STORE(*location, value, release);
  FENCE();
}

static void wait_for_zero(atomic_int *location) {
  while (LOAD(*location, acquire) != 0)
    sched_yield();
  FENCE();
}

static void lock(int self) {
  for (;;) {
    write_and_fence(&wants[self], 1);
    write_and_fence(&x, self);
    if (LOAD(y, acquire) != 0) {
      write_and_fence(&wants[self], 0);
      wait_for_zero(&y);
      continue;
    }
    write_and_fence(&y, self);
    if (LOAD(x, acquire) == self)
      return;
    write_and_fence(&wants[self], 0);
    for (int other = 1; other <= threads; other++)
      wait_for_zero(&wants[other]);
    if (LOAD(y, acquire) == self)
      return;
    FENCE();
    wait_for_zero(&y);
  }
}

static void thread(int self) {
  for (int i = 0; i < rounds; i++) {
    lock(self + 1);
    visit();
    write_and_fence(&y, 0);
    write_and_fence(&wants[self + 1], 0);
  }
}

int main(int argc, char **argv) {
  return run(&(struct program){2, MAX_THREADS, thread, all_visits_counted}, argc, argv);
}
