// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A barrier that turns its sense, 2 to 16 threads: each writes its slot and reads the others'
// between two barriers.
//
// Robust: the last one to come has acquired all slots, and releases them to the others.
// Weakened: coming is relaxed; slots that others have written may be stale.

#include "synthetic.h"

#ifdef WEAKENED
#define COME(x) ADD(x, -1, relaxed)
#else
#define COME(x) ADD(x, -1, acq_rel)
#endif

static atomic_int missing, sense, slot[MAX_THREADS];

static void barrier(int mine) {
  if (COME(missing) == 1) {
    STORE(missing, threads, relaxed);
    STORE(sense, mine, release);
  } else {
    while (LOAD(sense, acquire) != mine)
      sched_yield();
  }
}

static void thread(int self) {
  for (int i = 1; i <= rounds; i++) {
    STORE(slot[self], i, relaxed);
    barrier(1);
    for (int other = 0; other < threads; other++)
      if (LOAD(slot[other], relaxed) != i)
        own[self].wrong++;
    barrier(0);
  }
}

int main(int argc, char **argv) {
  if (argc > 1)
    atomic_init(&missing, atoi(argv[1]));
  return run(&(struct program){2, MAX_THREADS, thread, none_wrong}, argc, argv);
}
