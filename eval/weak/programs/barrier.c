// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A barrier at which threads spin: whoever comes last in a phase begins the next one.
// Too weak: the phase is stored relaxed, so those who waited do not know what the others wrote.

#include "weak.h"

enum { THREADS = 2, PHASES = 10 };

static atomic_int arrived, phase;
static int data[THREADS];

static void meet(int now) {
  if (ADD(arrived, 1, acq_rel) % THREADS == THREADS - 1) {
    STORE(phase, now + 1, relaxed);
    return;
  }
  while (LOAD(phase, acquire) == now)
    sched_yield();
}

static void *thread(void *argument) {
  const int self = (int)(intptr_t)argument;
  for (int now = 0; now < PHASES; now++) {
    data[self] = data[self] + 1;
    meet(2 * now);
    if (data[1 - self] < 0)
      abort();
    meet(2 * now + 1);
  }
  return NULL;
}

int main(void) {
  run_threads(THREADS, thread);
  return 0;
}
