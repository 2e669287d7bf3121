// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything that is counted. What is dropped, capped or degraded stands here by name (G7).
// Counters are relaxed atomics: any thread may add, a reader sees some recent value.

#ifndef RSAN_STATS_H
#define RSAN_STATS_H

#include <stdatomic.h>
#include <stdint.h>

#define RSAN_STATS(X)                                                                              \
  X(violations, "accesses flagged, before de-duplication and suppression")                         \
  X(locations, "atomic locations ever tracked")                                                    \
  X(foreign_writes, "times a value was found that no analysed write left; history reset")          \
  X(mixed_locations, "locations withdrawn because accesses of other size or offset overlap them")  \
  X(index_reuse, "thread indices reused where the creator knew of the old thread's end")           \
  X(forced_reuse, "thread indices reused where it did not: older writes can no longer be missed")

struct rsan_stats {
#define RSAN_STATS_FIELD(name, text) _Atomic uint64_t name;
  RSAN_STATS(RSAN_STATS_FIELD)
#undef RSAN_STATS_FIELD
};

#define RSAN_COUNT(stats, name)                                                                    \
  atomic_fetch_add_explicit(&(stats)->name, 1, memory_order_relaxed)

#endif
