// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cell.h"

#include "../host.h"

bool rsan_cell_races(const struct rsan_cell *cell, const struct rsan_hb *thread, bool writes) {
  return !rsan_clock_covers(&thread->c, &cell->writes) ||
         (writes && !rsan_clock_covers(&thread->c, &cell->reads));
}

void rsan_cell_update(struct rsan_cell *cell, const struct rsan_hb *thread, bool writes) {
  rsan_clock_set(writes ? &cell->writes : &cell->reads, thread->index, rsan_hb_epoch(thread));
}

void rsan_cell_clear(struct rsan_cell *cell) {
  rsan_clock_clear(&cell->reads);
  rsan_clock_clear(&cell->writes);
}
