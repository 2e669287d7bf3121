// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A lock for the core's own few global objects. It is held for a clock join or shorter and is
// always the innermost lock.

#ifndef RSAN_LOCK_H
#define RSAN_LOCK_H

#include <stdatomic.h>

#include "host.h"

struct rsan_lock {
  atomic_bool held;
};

static inline void rsan_lock(struct rsan_lock *lock) {
  while (atomic_exchange_explicit(&lock->held, 1, memory_order_acquire))
    rsan_host_yield();
}

static inline void rsan_unlock(struct rsan_lock *lock) {
  atomic_store_explicit(&lock->held, 0, memory_order_release);
}

#endif
