// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A seqlock: the reader takes what it has read only if the sequence number has not moved meanwhile.
// Defect: the loads of the data are relaxed and no acquire fence follows them, so the second look
// at the sequence may take effect before them: the reader accepts a pair of which one half is new
// and the other old.
//
// Verdict: robustness violation, exit code 66. Repaired in seqlock_repaired.c.
//  rsan-clang -fsanitize=robustness -g -O1 examples/seqlock.c -o seqlock && ./seqlock

#include "stage.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_uint sequence; // odd: a write is going on
static atomic_int left;      // the data: left == right, but while a write goes on
static atomic_int right;

static void write_pair(int value) {
  unsigned now = atomic_load_explicit(&sequence, memory_order_relaxed);
  atomic_store_explicit(&sequence, now + 1, memory_order_relaxed);
  atomic_store_explicit(&left, value, memory_order_release); // not before the odd number
  atomic_store_explicit(&right, value, memory_order_release);
  atomic_store_explicit(&sequence, now + 2, memory_order_release);
}

static unsigned begin_read(void) {
  for (;;) {
    unsigned now = atomic_load_explicit(&sequence, memory_order_acquire);
    if (now % 2 == 0)
      return now;
    sched_yield();
  }
}

// Returns whether the pair was whole.
static int read_pair(void) {
  for (;;) {
    unsigned before = begin_read();
    stage_reach(1);
    stage_await(2); // the writer gets in here
    int l = atomic_load_explicit(&left, memory_order_relaxed);
    int r = atomic_load_explicit(&right, memory_order_relaxed);
    if (atomic_load_explicit(&sequence, memory_order_relaxed) == before)
      return l == r;
  }
}

static void *writer(void *arg) {
  stage_await(1);
  write_pair(1);
  stage_reach(2);
  return arg;
}

static void *reader(void *whole) {
  *(int *)whole = read_pair();
  return NULL;
}

int main(void) {
  pthread_t t1, t2;
  int whole = 0;
  if (pthread_create(&t1, NULL, writer, NULL) || pthread_create(&t2, NULL, reader, &whole))
    return 2;
  pthread_join(t1, NULL);
  pthread_join(t2, NULL);
  return !whole;
}
