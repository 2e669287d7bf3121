// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `churn THREADS OBJECTS`: the threads allocate so many atomic objects together. Each object is
// accessed twice and freed before the thread allocates its next one.

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_THREADS = 64 };

static unsigned long objects; // of each thread

static void *make_and_drop(void *unused) {
  (void)unused;
  for (unsigned long i = 0; i < objects; i++) {
    atomic_ulong *object = malloc(sizeof *object);
    if (!object)
      abort();
    atomic_init(object, i);
    atomic_fetch_add_explicit(object, 1, memory_order_acq_rel);
    atomic_store_explicit(object, 2, memory_order_release);
    free(object);
  }
  return NULL;
}

int main(int argc, char **argv) {
  unsigned long threads = argc == 3 ? strtoul(argv[1], NULL, 10) : 0;
  pthread_t at[MAX_THREADS];
  if (threads == 0 || threads > MAX_THREADS) {
    fprintf(stderr, "usage: churn THREADS OBJECTS, with 1 to %d threads\n", MAX_THREADS);
    return 2;
  }
  objects = strtoul(argv[2], NULL, 10) / threads;
  for (unsigned long i = 0; i < threads; i++)
    if (pthread_create(&at[i], NULL, make_and_drop, NULL) != 0)
      abort();
  for (unsigned long i = 0; i < threads; i++)
    pthread_join(at[i], NULL);
  return 0;
}
