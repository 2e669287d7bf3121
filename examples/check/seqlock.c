// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A sequence lock for `rsan check`: a writer writes a pair twice, a reader reads it once and takes
// it only if the sequence number was even and has not moved.
//
// With -DWEAKENED the reader's loads of the pair are relaxed. The second look at the sequence may
// then take effect before them, and the reader may accept half a write.
//
//  rsan-clang -fsanitize=robustness -g -O1 examples/check/seqlock.c -o seqlock
//  rsan check -- ./seqlock

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifdef WEAKENED
#define DATA_ORDER memory_order_relaxed
#else
#define DATA_ORDER memory_order_acquire
#endif

static atomic_uint sequence; // odd: a write is going on
static atomic_int left, right;

static void write_pair(int value) {
  unsigned now = atomic_load_explicit(&sequence, memory_order_relaxed);
  atomic_store_explicit(&sequence, now + 1, memory_order_relaxed);
  atomic_store_explicit(&left, value, memory_order_release); // not before the odd number
  atomic_store_explicit(&right, value, memory_order_release);
  atomic_store_explicit(&sequence, now + 2, memory_order_release);
}

static unsigned begin_read(void) {
  unsigned now;
  while ((now = atomic_load_explicit(&sequence, memory_order_acquire)) % 2 != 0) {
  }
  return now;
}

static void *read_pair(void *unused) {
  int l, r;
  unsigned before;
  do {
    before = begin_read();
    l = atomic_load_explicit(&left, DATA_ORDER);
    r = atomic_load_explicit(&right, DATA_ORDER);
  } while (atomic_load_explicit(&sequence, memory_order_relaxed) != before);
  if (l != r)
    abort();
  return unused;
}

int main(void) {
  pthread_t reader;
  if (pthread_create(&reader, NULL, read_pair, NULL))
    return 2;
  write_pair(1);
  write_pair(2);
  pthread_join(reader, NULL);
  return 0;
}
