// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that count under a lock, which the program defines: lock() and unlock(). What it protects
// is read and written by relaxed atomics, so a lock that does not order is a violation and no race.

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

#define RLX memory_order_relaxed
#define ACQ memory_order_acquire
// The twin's unlock hands nothing on: the next owner may read what the last one had overwritten.
#ifdef WEAK
#define REL memory_order_relaxed
#else
#define REL memory_order_release
#endif

enum { THREADS = 3, ROUNDS = 200 };

static void lock(int self);
static void unlock(int self);

static atomic_int counter;

static void *count(void *arg) {
  int self = (int)(long)arg;
  for (int i = 0; i < ROUNDS; i++) {
    lock(self);
    int found = atomic_load_explicit(&counter, RLX);
    atomic_store_explicit(&counter, found + 1, RLX);
    unlock(self);
  }
  return 0;
}

int main(void) {
  pthread_t threads[THREADS];
  for (long i = 0; i < THREADS; i++)
    if (pthread_create(&threads[i], 0, count, (void *)i) != 0)
      return 3;
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], 0);
  printf("counted %d\n", atomic_load(&counter));
}
