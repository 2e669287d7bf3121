// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the programs of this folder share. Each is one algorithm, written from its description, with
// plain data that it is to protect, and with one memory order too weak: its head says which.

#ifndef RSAN_EVAL_WEAK_H
#define RSAN_EVAL_WEAK_H

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#define LOAD(x, order)     atomic_load_explicit(&(x), memory_order_##order)
#define STORE(x, v, order) atomic_store_explicit(&(x), (v), memory_order_##order)
#define ADD(x, v, order)   atomic_fetch_add_explicit(&(x), (v), memory_order_##order)
#define CAS(x, e, v, success, failure)                                                             \
  atomic_compare_exchange_strong_explicit(&(x), (e), (v), memory_order_##success,                  \
                                          memory_order_##failure)
#define SC_FENCE() atomic_thread_fence(memory_order_seq_cst)

// Runs thread(0) to thread(COUNT - 1) side by side.
static inline void run_threads(int count, void *(*thread)(void *self)) {
  pthread_t threads[8];
  for (intptr_t i = 0; i < count; i++)
    if (pthread_create(&threads[i], NULL, thread, (void *)i))
      abort();
  for (int i = 0; i < count; i++)
    pthread_join(threads[i], NULL);
}

#endif
