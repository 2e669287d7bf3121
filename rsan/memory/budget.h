// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a location may keep where there are many: a collection keeps for each thread some records,
// and the versions after them, so a million locations that 32 threads have written took 5 GiB.
//
// A location is large from when it first has as many entries as the budget allows. While no more
// than rsan_options.large_locations are large, they are collected as collect.h says. While there
// are more, what so many may have (RSAN_LARGE_ENTRIES each) is shared by all in equal parts, down
// to rsan_options.location_budget bytes. A location that has collected and would take more than its
// share raises its base, the version that all threads are said to know, until at most half of that
// is left. Versions up to the base, and records of them, go. That raises T_c: it can cost
// violations, and invents none (docs/internals/MODEL.md section 5).

#ifndef RSAN_MEMORY_BUDGET_H
#define RSAN_MEMORY_BUDGET_H

#include "../base/counters.h"
#include "../lc/history.h"
#include "../lc/records.h"

struct rsan_budget {
  uint32_t entries;       // versions and records of a location, together; 0: no limit
  uint32_t most;          // locations that may be large
  _Atomic uint32_t large; // live locations that are
};

// `bytes`: of versions and records; 0: no limit. At least a version and a record stay.
void rsan_budget_init(struct rsan_budget *budget, uint32_t bytes, uint32_t most);

// Entries that a location may have; UINT32_MAX: any number. Any thread may ask at any time.
static inline uint32_t rsan_budget_share(const struct rsan_budget *budget) {
  uint32_t large = atomic_load_explicit(&budget->large, memory_order_relaxed);
  if (!budget->entries || large <= budget->most)
    return UINT32_MAX;
  uint32_t share = (uint32_t)((uint64_t)budget->most * RSAN_LARGE_ENTRIES / large);
  return share > budget->entries ? share : budget->entries;
}

// Entries at which a new location is first asked whether the budget holds.
static inline uint32_t rsan_budget_first(const struct rsan_budget *budget) {
  return budget->entries && budget->entries < RSAN_COLLECT_MIN_ENTRIES ? budget->entries
                                                                       : RSAN_COLLECT_MIN_ENTRIES;
}

// Cuts a history to half of so many entries. The caller holds the location's lock.
void rsan_budget_cut(uint32_t entries, struct rsan_history *history, struct rsan_records *records,
                     struct rsan_counters *counters);

#endif
