// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sole threads. Everything that other threads have done happens before what a sole thread does
// next, which happens before everything later: the later threads are its children, and theirs. So
// no access of a sole thread misses a write, and no later access misses one of its writes. Nor does
// a later verdict rest on one of its accesses: a write that is missed comes after them, and what
// leads from there to the access that misses it comes later still, in happens-before, in the SC
// order and in S alike.
//
// Rule: the location starts over at the first access, and from then on only its value is kept, as
// that of version 0, which all threads know.
//
// Deviation: a value that no access has left is not searched for its writer's clocks, since all
// that the writer can have acquired is known to every later thread.

#include "../engine.h"

#include "../host.h"
#include "../steps/cxx20.h"
#include "../steps/types.h"
#include "mixed.h"

// Has the thread that had the index finished, and does its end happen before the view? (An epoch up
// to the floor may be known without what was released with it.)
static bool knows_end(const struct rsan_engine *engine, const struct rsan_stamp *c,
                      uint32_t index) {
  const struct rsan_index_entry *entry = &engine->indices.entries[index];
  return entry->finished && rsan_stamp_get(c, index) >= entry->epoch &&
         entry->epoch > rsan_index_epoch_floor(&engine->indices, index);
}

bool rsan_thread_is_sole(struct rsan_thread *thread) {
  struct rsan_engine *engine = thread->engine;
  if (engine->machines || engine->weak || rsan_cxx20_is_on(engine) ||
      engine->options.clocks == RSAN_CLOCKS_EXPLICIT)
    return false;
  rsan_lock(&engine->index_lock);
  bool sole = !engine->indices.taken_by_force;
  for (uint32_t index = 0; sole && index < engine->indices.count; index++)
    sole = index == thread->hb.index || knows_end(engine, &thread->hb.c, index);
  rsan_unlock(&engine->index_lock);
  return sole;
}

bool rsan_sole_update(struct rsan_location *location, struct rsan_value seen,
                      struct rsan_value left) {
#ifdef RSAN_VERIFY
  return false; // the access is analysed in full
#endif
  if (location->withdrawn || !location->started || location->history.newest ||
      !rsan_value_equal(location->history.value, seen))
    return false;
  location->history.value = left;
  return true;
}

#ifdef RSAN_VERIFY
void rsan_sole_access(struct rsan_thread *thread, struct rsan_location *location,
                      const struct rsan_access *access) {
  struct rsan_violation violation;
  bool violates = rsan_atomic_access(thread, location, access, &violation);
  RSAN_ASSERT(!violates, "an access of a sole thread violates robustness");
}
#else
void rsan_sole_access(struct rsan_thread *thread, struct rsan_location *location,
                      const struct rsan_access *access) {
  if (location->mixes) {
    rsan_mixed_sole(thread, location, access);
    return;
  }
  if (location->withdrawn) {
    RSAN_COUNT_OWN(&thread->counters, mixed_accesses, 1);
    return;
  }
  bool first = !location->started;
  if (first || !rsan_value_equal(location->history.value, access->seen)) {
    RSAN_COUNT_OWN(&thread->counters, foreign_writes, !first);
    enum rsan_writer writer = rsan_host_who_wrote(access, first);
    RSAN_COUNT_OWN(&thread->counters, unseen_writes, writer == RSAN_WRITER_UNSEEN);
  }
  rsan_location_restart(thread->engine, location,
                        access->kind == RSAN_READ ? access->seen : access->written, thread->log);
}
#endif
