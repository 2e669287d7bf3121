// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cell.h"

#include "../host.h"

static bool knows_all(const struct rsan_hb *thread, const struct rsan_clock *accesses) {
  for (uint32_t i = 0; i < accesses->size; i++)
    if (accesses->entries[i] > rsan_stamp_get(&thread->c, i))
      return false;
  return true;
}

bool rsan_cell_races(const struct rsan_cell *cell, const struct rsan_hb *thread, bool writes) {
  return !knows_all(thread, &cell->writes) || (writes && !knows_all(thread, &cell->reads));
}

void rsan_cell_update(struct rsan_cell *cell, const struct rsan_hb *thread, bool writes) {
  rsan_clock_set(writes ? &cell->writes : &cell->reads, thread->index, rsan_hb_epoch(thread));
}

void rsan_cell_clear(struct rsan_cell *cell) {
  rsan_clock_clear(&cell->reads);
  rsan_clock_clear(&cell->writes);
}
