// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which entry of the thread-indexed clocks a thread has.
//
// A finished thread's index is handed on, so that clocks do not grow with the number of threads
// that ever lived. Epochs and SC indices go on where the old thread stopped. Three cases:
//
//   exact    the creator's Vc and VS cover the old thread's end. A thread that later knows an
//            epoch of the new thread knows all of the old one anyway, so nothing changes.
//   fresh    otherwise, up to RSAN_THREAD_INDEX_SOFT_MAX indices.
//   forced   then the longest finished index is taken, and gets floors (docs/internals/MODEL.md
//   section 3,
//            number 6). To know an epoch of the new thread seems to imply to know the old thread's
//            end now: in happens-before that only hides, in the SC view it would invent.
//
// The table is covered by the engine's lock; floors are read without it.

#ifndef RSAN_BASE_THREAD_INDEX_H
#define RSAN_BASE_THREAD_INDEX_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "../limits.h"
#include "counters.h"
#include "stamp.h"

struct rsan_index_entry {
  bool finished;
  uint64_t finish_order;    // finished earlier = smaller
  uint64_t epoch, sc_index; // newest of the thread that had it last
};

// The newest epoch and SC index that an index had when it was last taken by force; the epoch also
// that of the last write that was not seen.
struct rsan_index_floor {
  _Atomic uint64_t epoch, sc_index;
};

struct rsan_index_table {
  struct rsan_index_entry *entries;
  uint32_t count, room;
  uint64_t finishes;
  bool taken_by_force; // any index, ever
  // RSAN_THREAD_INDEX_FLOORS entries, and one for all indices above, made when the first is raised.
  struct rsan_index_floor *_Atomic floors;
};

// Chooses the index of a thread whose creator has the views `c` and `vs` (NULL: no creator), and
// says in *epoch and *sc_index where its counting starts.
uint32_t rsan_index_take(struct rsan_index_table *table, const struct rsan_stamp *c,
                         const struct rsan_stamp *vs, uint64_t *epoch, uint64_t *sc_index,
                         struct rsan_counters *counters);

// Gives the index back at the thread's end.
void rsan_index_give(struct rsan_index_table *table, uint32_t index, uint64_t epoch,
                     uint64_t sc_index);

// From now on an epoch of the index up to `epoch` says nothing about what was released with it.
void rsan_index_raise_epoch_floor(struct rsan_index_table *table, uint32_t index, uint64_t epoch);

void rsan_index_table_clear(struct rsan_index_table *table);

static inline const struct rsan_index_floor *rsan_index_floor(const struct rsan_index_table *table,
                                                              uint32_t index) {
  struct rsan_index_floor *floors = atomic_load_explicit(&table->floors, memory_order_acquire);
  if (!floors)
    return 0;
  return &floors[index < RSAN_THREAD_INDEX_FLOORS ? index : RSAN_THREAD_INDEX_FLOORS];
}

// 0 where there is no floor.
static inline uint64_t rsan_index_epoch_floor(const struct rsan_index_table *table,
                                              uint32_t index) {
  const struct rsan_index_floor *floor = rsan_index_floor(table, index);
  return floor ? atomic_load_explicit(&floor->epoch, memory_order_relaxed) : 0;
}

static inline uint64_t rsan_index_sc_floor(const struct rsan_index_table *table, uint32_t index) {
  const struct rsan_index_floor *floor = rsan_index_floor(table, index);
  return floor ? atomic_load_explicit(&floor->sc_index, memory_order_relaxed) : 0;
}

#endif
