// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A sequence lock: thread 0 writes, the others read; 2 to 16 threads.
//
// Robust: the data is written with release and read with acquire.
// Weakened: the data is written and read relaxed, without fences; a reader may see half a write.

#include "synthetic.h"

#ifdef WEAKENED
#define DATA_STORE(x, v) STORE(x, v, relaxed)
#define DATA_LOAD(x)     LOAD(x, relaxed)
#else
#define DATA_STORE(x, v) STORE(x, v, release)
#define DATA_LOAD(x)     LOAD(x, acquire)
#endif

static atomic_int sequence, left, right;

static void write_both(int value) {
  const int now = LOAD(sequence, relaxed);
  STORE(sequence, now + 1, relaxed);
  DATA_STORE(left, value);
  DATA_STORE(right, value);
  STORE(sequence, now + 2, release);
}

static int begin_read(void) {
  for (;;) {
    const int now = LOAD(sequence, acquire);
    if (now % 2 == 0)
      return now;
    sched_yield();
  }
}

static int is_whole(void) {
  for (;;) {
    const int before = begin_read();
    const int l = DATA_LOAD(left), r = DATA_LOAD(right);
    if (LOAD(sequence, relaxed) == before)
      return l == r;
  }
}

static void thread(int self) {
  for (int i = 1; i <= rounds; i++) {
    if (self == 0)
      write_both(i);
    else if (!is_whole())
      own[self].wrong++;
  }
}

int main(int argc, char **argv) {
  return run(&(struct program){2, MAX_THREADS, thread, none_wrong}, argc, argv);
}
