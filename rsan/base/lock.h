// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A lock for the core's own few global objects. It is held for a clock join or shorter and is
// always the innermost lock.

#ifndef RSAN_BASE_LOCK_H
#define RSAN_BASE_LOCK_H

#include <stdatomic.h>
#include <stdbool.h>

#include "../host.h"
#include "../processor/processor.h"

struct rsan_lock {
  atomic_bool held;
};

static inline bool rsan_try_lock(struct rsan_lock *lock) {
  return !atomic_exchange_explicit(&lock->held, 1, memory_order_acquire);
}

// The holder is mostly running on another processor and about to be done.
static inline void rsan_lock(struct rsan_lock *lock) {
  for (int tries = 1; !rsan_try_lock(lock); tries++)
    if (tries % 64)
      rsan_pause();
    else
      rsan_host_yield();
}

static inline void rsan_unlock(struct rsan_lock *lock) {
  atomic_store_explicit(&lock->held, 0, memory_order_release);
}

// The same for what is mostly read: any number of readers, or one writer.
struct rsan_shared_lock {
  atomic_int readers; // -1: a writer
};

static inline void rsan_lock_shared(struct rsan_shared_lock *lock) {
  int readers = atomic_load_explicit(&lock->readers, memory_order_relaxed);
  while (readers < 0 ||
         !atomic_compare_exchange_weak_explicit(&lock->readers, &readers, readers + 1,
                                                memory_order_acquire, memory_order_relaxed))
    if (readers < 0) {
      rsan_host_yield();
      readers = atomic_load_explicit(&lock->readers, memory_order_relaxed);
    }
}

static inline void rsan_unlock_shared(struct rsan_shared_lock *lock) {
  atomic_fetch_sub_explicit(&lock->readers, 1, memory_order_release);
}

static inline void rsan_lock_alone(struct rsan_shared_lock *lock) {
  int nobody = 0;
  while (!atomic_compare_exchange_weak_explicit(&lock->readers, &nobody, -1, memory_order_acquire,
                                                memory_order_relaxed)) {
    rsan_host_yield();
    nobody = 0;
  }
}

static inline void rsan_unlock_alone(struct rsan_shared_lock *lock) {
  atomic_store_explicit(&lock->readers, 0, memory_order_release);
}

#endif
