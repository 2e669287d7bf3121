// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Message passing after many writes that have nothing to do with it: does memory grow with the
// length of the run, and is the violation at its end still found?
//
//   PROGRAM WRITES    writes of the sender to an object that nobody reads
//
// Robust: the flag is set with release and awaited with acquire.
// Weakened: the flag is set relaxed; the message may be stale.

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef WEAKENED
#define FLAG_ORDER memory_order_relaxed
#else
#define FLAG_ORDER memory_order_release
#endif

extern atomic_int noise; // or the compiler, which sees that nobody reads it, would drop the writes
atomic_int noise;
static atomic_int message, flag;
static long writes;

static void *send(void *unused) {
  for (long i = 0; i < writes; i++)
    atomic_store_explicit(&noise, (int)i, memory_order_relaxed);
  atomic_store_explicit(&message, 1, memory_order_relaxed);
  atomic_store_explicit(&flag, 1, FLAG_ORDER);
  return unused;
}

static void *receive(void *unused) {
  while (atomic_load_explicit(&flag, memory_order_acquire) == 0)
    sched_yield();
  if (atomic_load_explicit(&message, memory_order_relaxed) != 1)
    exit(1);
  return unused;
}

int main(int argc, char **argv) {
  pthread_t sender, receiver;
  writes = argc == 2 ? atol(argv[1]) : 0;
  if (writes < 1) {
    fprintf(stderr, "usage: %s WRITES\n", argv[0]);
    return 2;
  }
  if (pthread_create(&receiver, NULL, receive, NULL) || pthread_create(&sender, NULL, send, NULL))
    return 2;
  pthread_join(sender, NULL);
  pthread_join(receiver, NULL);
  return 0;
}
