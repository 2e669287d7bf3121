// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Read-copy-update by counters, 2 to 16 threads: thread 0 replaces one of two objects, waits until
// no reader can hold it, and spoils it; the others read.
//
// Robust: SC fences where a reader enters and leaves, and before and after the writer's wait.
// Weakened: without those fences; a reader may read a spoilt object.

#include "synthetic.h"

enum { SPOILT = -1 };

static atomic_int reading[MAX_THREADS]; // odd: inside
static atomic_int object[2], current;

static void read_once(int self) {
  const int count = LOAD(reading[self], relaxed);
  STORE(reading[self], count + 1, release);
  FENCE();
  if (LOAD(object[LOAD(current, acquire)], acquire) == SPOILT)
    own[self].wrong++;
  STORE(reading[self], count + 2, release);
  FENCE();
}

static void wait_for_readers(void) {
  for (int i = 1; i < threads; i++) {
    FENCE();
    const int count = LOAD(reading[i], acquire);
    if (count % 2 != 0)
      while (LOAD(reading[i], acquire) == count)
        sched_yield();
  }
  FENCE();
}

static void replace(int value) {
  const int old = LOAD(current, relaxed);
  STORE(object[1 - old], value, release);
  STORE(current, 1 - old, release);
  wait_for_readers();
  STORE(object[old], SPOILT, release);
}

static void thread(int self) {
  for (int i = 1; i <= rounds; i++) {
    if (self == 0)
      replace(i);
    else
      read_once(self);
  }
}

int main(int argc, char **argv) {
  return run(&(struct program){2, MAX_THREADS, thread, none_wrong}, argc, argv);
}
