// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Locations: how they come, start over, are withdrawn, and go.

#include "../engine.h"

#include "../host.h"
#include "../machines/machines.h"
#include "../steps/cxx20.h"
#include "../steps/reference.h"
#include "../steps/seqcst.h"
#include "../steps/types.h"
#include "../weak/weak.h"

const struct rsan_location_more rsan_nothing_more;

static struct rsan_location_more *more_of(const struct rsan_engine *engine) {
  if (!engine->reference && !engine->machines && !engine->weak)
    return (struct rsan_location_more *)&rsan_nothing_more;
  struct rsan_location_more *more = RSAN_NEW(struct rsan_location_more);
  if (engine->reference)
    more->reference = RSAN_NEW(struct rsan_reference_location);
  if (engine->machines)
    more->machines = rsan_machines_location_new(engine->machines);
  if (engine->weak)
    more->weak = RSAN_NEW(struct rsan_weak_location);
  return more;
}

static void more_free(struct rsan_location_more *more) {
  if (more == &rsan_nothing_more)
    return;
  rsan_reference_location_free(more->reference);
  rsan_machines_location_free(more->machines);
  rsan_weak_location_free(more->weak);
  rsan_cxx20_location_free(more->cxx20);
  rsan_host_free(more);
}

static struct rsan_location *begin(struct rsan_engine *engine, struct rsan_location *location) {
  location->collect_at = rsan_budget_first(&engine->budget);
  if (location->more != &rsan_nothing_more)
    location->more->unseen_writes =
        atomic_load_explicit(&engine->unseen_writes, memory_order_relaxed);
  return location;
}

struct rsan_location *rsan_location_make(struct rsan_engine *engine) {
  struct rsan_location *location = RSAN_NEW(struct rsan_location);
  location->more = more_of(engine);
  return begin(engine, location);
}

struct rsan_location *rsan_location_new(struct rsan_engine *engine, struct rsan_thread *thread,
                                        uint32_t size) {
  struct rsan_location *location = thread && thread->spare_count
                                       ? begin(engine, thread->spare[--thread->spare_count])
                                       : rsan_location_make(engine);
  location->size = (uint8_t)size;
  if (thread)
    RSAN_COUNT_OWN(&thread->counters, locations, 1);
  else
    RSAN_COUNT(&engine->counters, locations);
  return location;
}

// Frees a location that does not mix, such as the `whole` of one that does.
static void free_parts(struct rsan_engine *engine, struct rsan_location *location) {
  if (location->large)
    atomic_fetch_sub_explicit(&engine->budget.large, 1, memory_order_relaxed);
  rsan_stamp_clear(&location->hb_w);
  rsan_history_clear(&location->history);
  rsan_compact_location_clear(&location->compact);
  rsan_s_location_free(location->s);
  more_free(location->more);
  rsan_host_free(location);
}

void rsan_location_unmix(struct rsan_engine *engine, struct rsan_location *location) {
  struct rsan_mixed *mixed = location->mixes ? location->mixed : 0;
  if (!mixed)
    return;
  free_parts(engine, mixed->whole);
  for (uint32_t i = 0; i < RSAN_MIXED_BYTES; i++)
    rsan_compact_location_clear(&mixed->bytes[i]);
  rsan_cxx20_bytes_free(mixed->cxx20);
  rsan_host_free(mixed);
  location->mixes = false;
  location->object = 0;
}

void rsan_location_free(struct rsan_engine *engine, struct rsan_location *location) {
  if (!location)
    return;
  rsan_location_unmix(engine, location);
  free_parts(engine, location);
}

// Has it only room for the first versions and records, and no other memory to free but what
// machines and S have?
static bool is_small(const struct rsan_location *location) {
  return !location->mixes && !location->more->reference && !location->more->weak &&
         !location->more->cxx20 && !location->history.critical && !location->large &&
         location->history.room * sizeof *location->history.at <= RSAN_VERSIONS_FIRST &&
         location->compact.records.room * sizeof *location->compact.records.at <=
             RSAN_RECORDS_FIRST;
}

static void retire_views(struct rsan_thread *thread, struct rsan_s_location *views) {
  if (!views || !rsan_s_location_is_small(views) || thread->spare_s_count == RSAN_SPARE_LOCATIONS) {
    rsan_s_location_free(views);
    return;
  }
  rsan_s_location_renew(views);
  thread->spare_s[thread->spare_s_count++] = views;
}

void rsan_location_retire(struct rsan_thread *thread, struct rsan_location *location) {
  if (thread->spare_count == RSAN_SPARE_LOCATIONS || !is_small(location)) {
    rsan_location_free(thread->engine, location);
    return;
  }
  rsan_stamp_clear(&location->hb_w);
  rsan_compact_location_restart(&location->compact);
  retire_views(thread, location->s);
  if (location->more->machines)
    rsan_machines_location_renew(location->more->machines);
  *location = (struct rsan_location){
      .history = {.at = location->history.at, .room = location->history.room},
      .compact.records = {.at = location->compact.records.at,
                          .room = location->compact.records.room},
      .more = location->more,
  };
  thread->spare[thread->spare_count++] = location;
}

void rsan_location_drop_spares(struct rsan_thread *thread) {
  while (thread->spare_count)
    rsan_location_free(thread->engine, thread->spare[--thread->spare_count]);
  while (thread->spare_s_count)
    rsan_s_location_free(thread->spare_s[--thread->spare_s_count]);
}

void rsan_location_forget(struct rsan_location *location) {
  if (location->mixes)
    location->mixed->whole->started = false;
  location->started = false;
  rsan_fast_forget(&location->write);
}

void rsan_track(struct rsan_location *location, struct rsan_value value) {
  if (location->withdrawn)
    return;
  rsan_fast_forget(&location->write); // it knows of no new condition
  struct rsan_condition condition = rsan_equals(value);
  rsan_history_add_critical(&location->history, &condition);
}

void rsan_location_restart(struct rsan_engine *engine, struct rsan_location *location,
                           struct rsan_value value, struct rsan_log *log) {
  rsan_fast_forget(&location->write);
  rsan_history_restart(&location->history, value);
  rsan_compact_location_restart(&location->compact);
  rsan_seqcst_restart(location);
  location->object = rsan_log_object(&engine->logs, log);
  if (location->more->reference)
    rsan_reference_restart(engine, location);
  if (location->more->machines)
    rsan_machines_location_restart(location->more->machines);
  if (location->more->weak)
    rsan_weak_restart(location->more->weak);
  rsan_cxx20_start_over(location);
  location->started = true;
}

// Gives the location's clocks to the location that all withdrawn ones share.
static void merge_withdrawn(struct rsan_engine *engine, struct rsan_location *location) {
  struct rsan_location *into = engine->withdrawn;
  rsan_lock(&engine->withdrawn_lock);
  rsan_stamp_merge(&into->hb_w, &location->hb_w);
  if (location->more->reference)
    rsan_reference_withdraw(into->more->reference, location->more->reference);
  if (location->more->machines)
    rsan_machines_withdraw(into->more->machines, location->more->machines);
  rsan_seqcst_withdraw(into, location);
  if (rsan_cxx20_is_on(engine))
    rsan_cxx20_withdraw(engine, into, location);
  rsan_unlock(&engine->withdrawn_lock);
}

void rsan_location_withdraw(struct rsan_engine *engine, struct rsan_location *location,
                            uint32_t size) {
  if (location->mixes) {
    merge_withdrawn(engine, location->mixed->whole);
    rsan_location_unmix(engine, location);
  }
  if (location->size < size)
    location->size = size;
  if (location->withdrawn)
    return;
  RSAN_COUNT(&engine->counters, mixed_locations);
  merge_withdrawn(engine, location);
  rsan_location_restart(engine, location, (struct rsan_value){0, 0}, 0);
  location->withdrawn = true;
}

static void fetch(const void *at, size_t size) {
  for (size_t offset = 0; offset < size; offset += 64)
    __builtin_prefetch((const char *)at + offset, 1);
}

// What follows the last version and record; or all of them, if a collection is due.
void rsan_location_fetch(const struct rsan_location *location) {
  if (!location)
    return;
  const struct rsan_history *history = &location->history;
  const struct rsan_records *records = &location->compact.records;
  __builtin_prefetch(location->s, 1);
  if (history->count + records->count + 2 < location->collect_at ||
      location->collect_at > 4 * RSAN_COLLECT_MIN_ENTRIES) {
    __builtin_prefetch(&history->at[history->count], 1);
    __builtin_prefetch(&records->at[records->count], 1);
    return;
  }
  fetch(records->at, records->count * sizeof *records->at);
  fetch(history->at, history->count * sizeof *history->at);
}
