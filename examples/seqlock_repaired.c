// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// seqlock.c repaired: the loads of the data are acquire, and take effect before the second look at
// the sequence. The well-known repair by an acquire fence (with a release fence in the writer) is
// correct too, but not robust when the writer writes twice: a reader may then see a mixture of old
// and new that no sequentially consistent run shows. The sequence number makes it throw that
// mixture away.
//
// Verdict: robust in every interleaving; prints nothing, exit code 0.
//  rsan-clang -fsanitize=robustness -g -O1 examples/seqlock_repaired.c -o seqlock && ./seqlock

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
    int l = atomic_load_explicit(&left, memory_order_acquire);
    int r = atomic_load_explicit(&right, memory_order_acquire);
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
