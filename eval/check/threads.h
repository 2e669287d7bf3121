// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the programs of this folder share: short names, and a test that starts threads, waits for
// them, and fails by abort().

#ifndef RSAN_EVAL_CHECK_THREADS_H
#define RSAN_EVAL_CHECK_THREADS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define LOAD(x, order)     atomic_load_explicit(&(x), memory_order_##order)
#define STORE(x, v, order) atomic_store_explicit(&(x), (v), memory_order_##order)
#define ADD(x, v, order)   atomic_fetch_add_explicit(&(x), (v), memory_order_##order)
#define SWAP(x, v, order)  atomic_exchange_explicit(&(x), (v), memory_order_##order)
#define CAS(x, from, v, order)                                                                     \
  atomic_compare_exchange_strong_explicit(&(x), &(from), (v), memory_order_##order,                \
                                          memory_order_relaxed)
#define FENCE(order) atomic_thread_fence(memory_order_##order)

#define COUNT_OF(array) ((int)(sizeof(array) / sizeof *(array)))
enum { MOST_THREADS = 8 };

typedef void *function(void *number);

static inline void start(pthread_t *thread, function *f, int number) {
  if (pthread_create(thread, NULL, f, (void *)(size_t)number))
    exit(2);
}

static inline int number_of(void *argument) {
  return (int)(size_t)argument;
}

// Runs all of them to their end; each gets its number.
static inline void run_all(function *const *f, int count) {
  pthread_t thread[MOST_THREADS];
  for (int i = 0; i < count; i++)
    start(&thread[i], f[i], i);
  for (int i = 0; i < count; i++)
    pthread_join(thread[i], NULL);
}

static inline void require(int holds) {
  if (!holds)
    abort();
}

#endif
