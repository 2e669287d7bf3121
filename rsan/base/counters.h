// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The counters behind stats.h: relaxed atomics, any thread may add. What is counted often, each
// thread counts by itself: words that one thread writes, and that others may read.

#ifndef RSAN_BASE_COUNTERS_H
#define RSAN_BASE_COUNTERS_H

#include <stdatomic.h>

#include "../stats.h"

struct rsan_counters {
  _Atomic uint64_t count[RSAN_STAT_COUNT];
};

struct rsan_own_counters {
  uint64_t count[RSAN_STAT_COUNT];
};

#define RSAN_COUNT_OWN(counters, name, number) ((counters)->count[RSAN_STAT_##name] += (number))

#define RSAN_ADD(counters, name, number)                                                           \
  atomic_fetch_add_explicit(&(counters)->count[RSAN_STAT_##name], number, memory_order_relaxed)
#define RSAN_COUNT(counters, name) RSAN_ADD(counters, name, 1)

#endif
