// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An event counter: thread 0 announces events, the others sleep until they come; 2 to 16 threads.
//
// Robust: SC fences between the writes and the looks, on both sides.
// Weakened: release and acquire alone; the announcer may see no sleeper where the sleeper sees no
// event. (It would sleep for ever; here later events wake it.)

#include "synthetic.h"

static atomic_int event, sleepers, wake;
static atomic_int ended;

static void announce(int number) {
  STORE(event, number, release);
  FENCE();
  if (LOAD(sleepers, acquire) != 0)
    ADD(wake, 1, acq_rel);
}

static void await(int number) {
  ADD(sleepers, 1, acq_rel);
  for (;;) {
    FENCE();
    const int key = LOAD(wake, acquire);
    FENCE();
    if (LOAD(event, acquire) >= number)
      break;
    while (LOAD(wake, acquire) == key)
      sched_yield();
  }
  ADD(sleepers, -1, acq_rel);
}

static void thread(int self) {
  for (int i = 1; i <= rounds; i++) {
    if (self == 0)
      announce(i);
    else
      await(i);
  }
  if (self != 0) {
    ADD(ended, 1, release);
    return;
  }
#ifndef ALL_SCHEDULES                           // it would be explored how often it turns
  while (LOAD(ended, acquire) != threads - 1) { // no sleeper is left behind
    ADD(wake, 1, acq_rel);
    sched_yield();
  }
#endif
}

static int all_seen(void) {
  return LOAD(event, relaxed) == rounds && LOAD(sleepers, relaxed) == 0;
}

int main(int argc, char **argv) {
  return run(&(struct program){2, MAX_THREADS, thread, all_seen}, argc, argv);
}
