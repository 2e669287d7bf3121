// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads, locations and sync objects: how they come, publish and go.

#include "engine.h"

#include "engine_types.h"
#include "host.h"

struct rsan_thread *rsan_thread_create(struct rsan_engine *engine, struct rsan_thread *creator,
                                       uint32_t owner) {
  struct rsan_thread *thread = RSAN_NEW(struct rsan_thread);
  thread->engine = engine;
  thread->owner = owner;
  uint64_t epoch, sc_index;
  rsan_lock(&engine->index_lock);
  thread->hb.index =
      rsan_index_take(&engine->indices, creator ? &creator->hb.c : 0, creator ? &creator->vs : 0,
                      &epoch, &sc_index, &engine->counters);
  rsan_unlock(&engine->index_lock);
  if (engine->explicit_too)
    thread->explicit_clocks = RSAN_NEW(struct rsan_explicit_thread);
  if (creator) {
    struct rsan_sync *edge = rsan_sync_new(engine);
    rsan_release(creator, edge, RSAN_CERTAIN);
    rsan_acquire(thread, edge, RSAN_CERTAIN);
    rsan_sync_free(edge);
  }
  rsan_clock_set(&thread->hb.c, thread->hb.index, epoch);
  rsan_clock_set(&thread->vs, thread->hb.index, sc_index);
  thread->view.hb = &thread->hb;
  rsan_views_add(&engine->views, &thread->view);
  return thread;
}

void rsan_thread_set_owner(struct rsan_thread *thread, uint32_t owner) {
  thread->owner = owner;
}

void rsan_thread_finish(struct rsan_engine *engine, struct rsan_thread *thread) {
  rsan_views_finish(&engine->views, &thread->view);
  rsan_lock(&engine->index_lock);
  rsan_index_give(&engine->indices, thread->hb.index, rsan_hb_epoch(&thread->hb),
                  rsan_clock_get(&thread->vs, thread->hb.index));
  rsan_unlock(&engine->index_lock);
}

void rsan_thread_join(struct rsan_thread *joiner, const struct rsan_thread *finished) {
  rsan_clock_join(&joiner->hb.c, &finished->hb.c);
  rsan_clock_join(&joiner->vs, &finished->vs);
  if (!joiner->explicit_clocks)
    return;
  struct rsan_explicit_sync edge = {0};
  rsan_explicit_release(finished->explicit_clocks, &edge, false);
  rsan_explicit_acquire(joiner->explicit_clocks, &edge, false);
  rsan_explicit_sync_clear(&edge);
}

void rsan_thread_free(struct rsan_thread *thread) {
  if (!thread)
    return;
  rsan_views_remove(&thread->engine->views, &thread->view);
  rsan_hb_clear(&thread->hb);
  rsan_clock_clear(&thread->vs);
  if (thread->explicit_clocks)
    rsan_explicit_thread_clear(thread->explicit_clocks);
  rsan_host_free(thread->explicit_clocks);
  rsan_host_free(thread);
}

struct rsan_location *rsan_location_new(struct rsan_engine *engine, uint32_t size) {
  struct rsan_location *location = RSAN_NEW(struct rsan_location);
  location->size = size;
  location->collect_at = RSAN_COLLECT_MIN_ENTRIES;
  if (engine->explicit_too)
    location->explicit_clocks = RSAN_NEW(struct rsan_explicit_location);
  RSAN_COUNT(&engine->counters, locations);
  return location;
}

void rsan_location_free(struct rsan_location *location) {
  if (!location)
    return;
  rsan_clock_clear(&location->hb_w);
  rsan_history_restart(&location->history, (struct rsan_value){0, 0});
  rsan_compact_location_clear(&location->compact);
  if (location->explicit_clocks)
    rsan_explicit_location_clear(location->explicit_clocks);
  rsan_host_free(location->explicit_clocks);
  rsan_host_free(location);
}

uint32_t rsan_location_size(const struct rsan_location *location) {
  return location->size;
}

struct rsan_sync *rsan_sync_new(struct rsan_engine *engine) {
  struct rsan_sync *sync = RSAN_NEW(struct rsan_sync);
  if (engine->explicit_too)
    sync->explicit_clocks = RSAN_NEW(struct rsan_explicit_sync);
  return sync;
}

static void sync_clear(struct rsan_sync *sync) {
  rsan_clock_clear(&sync->c);
  rsan_clock_clear(&sync->vs);
  if (sync->explicit_clocks)
    rsan_explicit_sync_clear(sync->explicit_clocks);
}

void rsan_sync_free(struct rsan_sync *sync) {
  if (!sync)
    return;
  sync_clear(sync);
  rsan_host_free(sync->explicit_clocks);
  rsan_host_free(sync);
}

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
  rsan_cell_update(cell, &thread->hb, writes);
  return races;
}

void rsan_acquire(struct rsan_thread *thread, const struct rsan_sync *sync, enum rsan_edge edge) {
  rsan_clock_join(&thread->hb.c, &sync->c);
  if (edge == RSAN_CERTAIN)
    rsan_clock_join(&thread->vs, &sync->vs);
  if (thread->explicit_clocks)
    rsan_explicit_acquire(thread->explicit_clocks, sync->explicit_clocks, edge == RSAN_UNCERTAIN);
}

static void publish(struct rsan_thread *thread, struct rsan_sync *sync, enum rsan_edge edge,
                    bool merge) {
  if (!merge)
    sync_clear(sync);
  rsan_clock_join(&sync->c, &thread->hb.c);
  if (edge == RSAN_CERTAIN)
    rsan_clock_join(&sync->vs, &thread->vs);
  if (thread->explicit_clocks)
    rsan_explicit_release(thread->explicit_clocks, sync->explicit_clocks, edge == RSAN_UNCERTAIN);
  rsan_hb_tick(&thread->hb);
}

void rsan_release(struct rsan_thread *thread, struct rsan_sync *sync, enum rsan_edge edge) {
  publish(thread, sync, edge, false);
}

void rsan_release_merge(struct rsan_thread *thread, struct rsan_sync *sync, enum rsan_edge edge) {
  publish(thread, sync, edge, true);
}
