// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A seqlock whose reader may look at the sequence number the second time before it has read the
// data: it accepts a pair of which one half is new and the other old.
//
// Smallest repair: 2 orders, acquire for both loads of the data. One fence after the loads does,
// too, for it is an acquire fence, but costs more than the orders.

#include "rounds.h"

#include <sched.h>
#include <stdatomic.h>

#ifdef REPAIRED
#define DATA memory_order_acquire
#else
#define DATA memory_order_relaxed
#endif

static atomic_uint sequence; // odd: a write is going on
static atomic_int left, right;

static void write_pair(int value) {
  unsigned now = atomic_load_explicit(&sequence, memory_order_relaxed);
  atomic_store_explicit(&sequence, now + 1, memory_order_relaxed);
  atomic_store_explicit(&left, value, memory_order_release);
  if (value % 2)
    sched_yield(); // lets the reader in
  atomic_store_explicit(&right, value, memory_order_release);
  atomic_store_explicit(&sequence, now + 2, memory_order_release);
}

// Says whether a pair that was accepted was whole.
static int read_pair(int round) {
  for (;;) {
    unsigned before = atomic_load_explicit(&sequence, memory_order_acquire);
    if (round % 3 == 0)
      sched_yield(); // lets the writer in
    int l = atomic_load_explicit(&left, DATA);
    if (round % 3 == 1)
      sched_yield();
    int r = atomic_load_explicit(&right, DATA);
    if (before % 2 == 0 && atomic_load_explicit(&sequence, memory_order_relaxed) == before)
      return l == r;
  }
}

static void act(int thread, int round) {
  if (thread == 0)
    write_pair(round);
  else
    check(read_pair(round), "half a pair was accepted", round);
}

int main(void) {
  run_rounds(2, act);
}
