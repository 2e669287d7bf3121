// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Non-atomic memory of recorded runs. (The runtime's is in TSan's shadow.)

#include "../engine.h"

#include "../host.h"
#include "../race/cell.h"
#include "../steps/types.h"

struct rsan_cell *rsan_cell_new(void) {
  return RSAN_NEW(struct rsan_cell);
}

void rsan_cell_free(struct rsan_cell *cell) {
  if (cell)
    rsan_cell_clear(cell);
  rsan_host_free(cell);
}

bool rsan_plain_access(struct rsan_thread *thread, struct rsan_cell *cell, bool writes) {
  bool races = rsan_cell_races(cell, &thread->hb, writes);
  rsan_fast_acts(&thread->hb.fast);
  rsan_cell_update(cell, &thread->hb, writes);
  return races;
}
