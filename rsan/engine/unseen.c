// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "unseen.h"

#include "../host.h"
#include "../machines/machines.h"
#include "../steps/cxx20.h"
#include "../steps/reference.h"
#include "../steps/seqcst.h"

static void add_epoch(struct rsan_stamp *into, uint32_t index, uint64_t epoch) {
  struct rsan_stamp one = {.thread = index, .index = epoch};
  rsan_stamp_merge(into, &one);
}

// Ends the thread's epoch, and returns it or a later one that is not above the floor. An operation
// that began before may not see the floor, but takes no record beyond the epoch that it found.
static uint64_t end_epoch(struct rsan_engine *engine, const struct rsan_view *view) {
  struct rsan_hb *hb = view->hb;
  uint64_t floor, epoch;
  do {
    floor = rsan_hb_peek(&hb->c, hb->index) + RSAN_HB_MARGIN;
    rsan_index_raise_epoch_floor(&engine->indices, hb->index, floor);
    epoch = rsan_hb_end_epoch(hb);
  } while (epoch > floor); // the thread has moved it on far since
  return epoch;
}

// The table has the last epochs of threads that have finished, the views have the other threads'.
// (Two threads may have the same index, a finished one and its successor: the later epoch counts. A
// thread that is not in the list of views yet has done nothing.) This is the only place that holds
// the lock of the table while it takes the lock of the views.
//
// Clocks that cannot have all of that start over at each location (deviation 3).
static void add_everything(struct rsan_engine *engine, struct rsan_stamp *into) {
  __atomic_thread_fence(__ATOMIC_ACQUIRE); // the value was read first (rsan_hb_tick)
  rsan_lock(&engine->index_lock);
  for (uint32_t index = 0; index < engine->indices.count; index++)
    if (engine->indices.entries[index].epoch)
      add_epoch(into, index, engine->indices.entries[index].epoch);
  rsan_lock_shared(&engine->views.lock);
  for (const struct rsan_view *view = engine->views.first; view; view = view->next)
    add_epoch(into, view->hb->index,
              view->running ? end_epoch(engine, view)
                            : rsan_hb_peek(&view->hb->c, view->hb->index));
  rsan_unlock_shared(&engine->views.lock);
  rsan_unlock(&engine->index_lock);
  if (engine->machines || engine->options.clocks == RSAN_CLOCKS_EXPLICIT)
    atomic_fetch_add_explicit(&engine->unseen_writes, 1, memory_order_relaxed);
}

static void write_everything(struct rsan_thread *thread, struct rsan_location *location) {
  struct rsan_engine *engine = thread->engine;
  RSAN_COUNT_OWN(&thread->counters, unseen_writes, 1);
  add_everything(engine, &location->hb_w);
  rsan_seqcst_unseen_write(engine, location, &location->hb_w);
}

void rsan_acquire_everything(struct rsan_thread *thread, enum rsan_stat counter) {
  struct rsan_engine *engine = thread->engine;
  struct rsan_stamp everything = {0};
  thread->counters.count[counter]++;
  add_everything(engine, &everything);
  rsan_hb_join(&thread->hb, &everything);
  rsan_seqcst_acquire_unseen(thread, &everything);
  rsan_stamp_clear(&everything);
}

static void write_endings(struct rsan_thread *thread, struct rsan_location *location) {
  struct rsan_engine *engine = thread->engine;
  rsan_lock(&engine->ending_lock);
  rsan_acquire(thread, engine->ending, RSAN_UNCERTAIN);
  rsan_stamp_merge(&location->hb_w, &engine->ending->c);
  rsan_seqcst_write_after(location, engine->ending);
  if (location->more->reference)
    rsan_reference_write_after(location, engine->ending);
  if (location->more->machines)
    rsan_machines_write_after(location->more->machines, engine->ending->machines);
  if (rsan_cxx20_is_on(engine))
    rsan_cxx20_write_after(engine, location, engine->ending);
  rsan_unlock(&engine->ending_lock);
}

void rsan_unseen_find(struct rsan_thread *thread, struct rsan_location *location,
                      enum rsan_writer writer) {
  if (writer == RSAN_WRITER_SEEN)
    return;
  (writer == RSAN_WRITER_UNSEEN ? write_everything : write_endings)(thread, location);
  rsan_fast_w_read(&location->w, true);
}

void rsan_catch_up(struct rsan_thread *thread, struct rsan_location *location) {
  struct rsan_engine *engine = thread->engine;
  if (!rsan_unseen_outdates(engine, location))
    return;
  location->more->unseen_writes =
      atomic_load_explicit(&engine->unseen_writes, memory_order_relaxed);
  if (location->started && !location->withdrawn)
    rsan_location_restart(engine, location, location->history.value, thread->log);
}

void rsan_thread_ending(struct rsan_thread *thread) {
  struct rsan_engine *engine = thread->engine;
  rsan_lock(&engine->ending_lock);
  rsan_release_merge(thread, engine->ending, RSAN_UNCERTAIN);
  rsan_unlock(&engine->ending_lock);
}
