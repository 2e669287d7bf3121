// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What recorded runs need, and the runtime does not: the end of an engine, non-atomic memory (the
// runtime's is in TSan's shadow), and fetching ahead.

#include "../engine.h"

#include "../host.h"
#include "../machines/machines.h"
#include "../race/cell.h"
#include "../steps/reference.h"
#include "../steps/seqcst.h"
#include "../steps/types.h"
#include "../weak/weak.h"

void rsan_engine_free(struct rsan_engine *engine) {
  rsan_index_table_clear(&engine->indices);
  rsan_stamp_clear(&engine->fence_w);
  rsan_location_free(engine, engine->withdrawn);
  rsan_sync_free(engine->ending);
  rsan_seqcst_clear(engine);
  rsan_logs_clear(&engine->logs);
  rsan_machines_free(engine->machines);
  rsan_weak_free(engine->weak);
  rsan_reference_free(engine->reference);
  rsan_host_free(engine->cxx20);
  rsan_host_free(engine);
}

struct rsan_cell *rsan_cell_new(void) {
  return RSAN_NEW(struct rsan_cell);
}

void rsan_cell_free(struct rsan_cell *cell) {
  RSAN_CLOCKS_FREE(cell);
}

bool rsan_plain_access(struct rsan_thread *thread, struct rsan_cell *cell, bool writes) {
  bool races = rsan_cell_races(cell, &thread->hb, writes);
  rsan_fast_acts(&thread->hb.fast);
  rsan_cell_update(cell, &thread->hb, writes);
  return races;
}

enum { LINE = 64 };

static void fetch(const void *begin, size_t size) {
  const char *end = (const char *)begin + size;
  for (const char *at = (const char *)((uintptr_t)begin & -(uintptr_t)LINE); at < end; at += LINE)
    __builtin_prefetch(at, 1);
}

static void fetch_clock(const struct rsan_stamp *clock) {
  if (clock->base) // its first entries: the size is in there
    fetch(clock->base, sizeof *clock->base + RSAN_CLOCK_MIN_ENTRIES * sizeof *clock->base->entries);
}

void rsan_fetch_location(const struct rsan_location *location) {
  fetch(location, sizeof *location);
}

// The newest `last` of an array's elements, and the place of the next one.
static void fetch_end(const void *array, size_t size, uint32_t count, uint32_t room,
                      uint32_t last) {
  uint32_t from = count > last ? count - last : 0, to = count < room ? count + 1 : count;
  if (array)
    fetch((const char *)array + from * size, (to - from) * size);
}

void rsan_fetch_contents(const struct rsan_location *location) {
  const struct rsan_history *history = &location->history;
  const struct rsan_records *records = &location->compact.records;
  fetch_end(history->at, sizeof *history->at, history->count, history->room, 2);
  fetch_end(records->at, sizeof *records->at, records->count, records->room, 4);
  fetch_clock(&location->hb_w);
  fetch_clock(&location->compact.w);
  fetch_clock(&location->compact.m);
}
