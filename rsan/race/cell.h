// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Data races on non-atomic memory: the paper's appendix B, docs/internals/ALGORITHM.md section 3,
// over the happens-before views of hb.h. A read races with an earlier write of another thread whose
// epoch it does not know; a write races with an earlier read, too.

#ifndef RSAN_RACE_CELL_H
#define RSAN_RACE_CELL_H

#include <stdbool.h>

#include "../base/clock.h"
#include "hb.h"

// Epoch of each thread's newest read and newest write.
struct rsan_cell {
  struct rsan_clock reads, writes;
};

static inline bool rsan_cell_is_known(const struct rsan_hb *thread,
                                      const struct rsan_clock *accesses) {
  for (uint32_t i = 0; i < accesses->size; i++)
    if (accesses->entries[i] > rsan_stamp_get(&thread->c, i))
      return false;
  return true;
}

// A pure function: would the access race with one that came before?
static inline bool rsan_cell_races(const struct rsan_cell *cell, const struct rsan_hb *thread,
                                   bool writes) {
  return !rsan_cell_is_known(thread, &cell->writes) ||
         (writes && !rsan_cell_is_known(thread, &cell->reads));
}

static inline void rsan_cell_update(struct rsan_cell *cell, const struct rsan_hb *thread,
                                    bool writes) {
  rsan_clock_set(writes ? &cell->writes : &cell->reads, thread->index, rsan_hb_epoch(thread));
}

#endif
