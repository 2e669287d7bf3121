// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Engines, threads and sync objects: how they come, release and go.

#include "../engine.h"

#include "../fast/again.h"
#include "../host.h"
#include "../machines/machines.h"
#include "../steps/cxx20.h"
#include "../steps/note.h"
#include "../steps/reference.h"
#include "../steps/seqcst.h"
#include "../steps/types.h"
#include "../weak/weak.h"

struct rsan_sync *rsan_sync_new(struct rsan_engine *engine) {
  struct rsan_sync *sync = RSAN_NEW(struct rsan_sync);
  if (engine->reference)
    sync->reference = RSAN_NEW(struct rsan_reference_sync);
  if (engine->machines)
    sync->machines = RSAN_NEW(struct rsan_machines_sync);
  return sync;
}

void rsan_sync_free(struct rsan_sync *sync) {
  if (!sync)
    return;
  rsan_stamp_clear(&sync->c);
  rsan_stamp_clear(&sync->vs);
  rsan_seqcst_sync_clear(sync);
  if (sync->machines)
    rsan_machines_sync_clear(sync->machines);
  rsan_host_free(sync->machines);
  RSAN_CLOCKS_FREE(sync->reference);
  rsan_cxx20_sync_free(sync->cxx20);
  rsan_host_free(sync->s);
  rsan_host_free(sync);
}

// Updates the analyses that have no fast answers: reference clocks and C++20's fences, if on.
__attribute__((noinline)) static void
acquire_beside(struct rsan_thread *thread, const struct rsan_sync *sync, enum rsan_edge edge) {
  if (thread->reference)
    rsan_reference_acquire(thread, sync, edge);
  if (rsan_cxx20_is_on(thread->engine))
    rsan_cxx20_acquire_from(thread, sync);
}

__attribute__((noinline)) static void release_beside(struct rsan_thread *thread,
                                                     struct rsan_sync *sync, enum rsan_edge edge,
                                                     bool merge) {
  if (thread->reference)
    rsan_reference_release(thread, sync, edge, merge);
  if (rsan_cxx20_is_on(thread->engine))
    rsan_cxx20_release_to(thread, sync, merge);
}

static void acquire_from(struct rsan_thread *thread, const struct rsan_sync *sync,
                         enum rsan_edge edge) {
  rsan_hb_join(&thread->hb, &sync->c);
  if (edge == RSAN_CERTAIN)
    rsan_sc_join(&thread->sc, &sync->vs);
  if (thread->machines)
    rsan_fast_view_changed(&thread->sc.fast,
                           rsan_machines_acquire(thread->machines, sync->machines));
  if (thread->in_full)
    acquire_beside(thread, sync, edge);
  rsan_seqcst_acquire(thread, sync);
}

void rsan_acquire(struct rsan_thread *thread, const struct rsan_sync *sync, enum rsan_edge edge) {
  acquire_from(thread, sync, edge);
  if (thread->machines)
    rsan_fast_view_changed(&thread->sc.fast, rsan_machines_fence(thread->machines));
  bool from_itself =
      sync->c.thread == thread->hb.index && rsan_fast_is_unchanged(&thread->hb.fast, sync->c.index);
  if (edge == RSAN_CERTAIN && !from_itself)
    rsan_note_edge(thread, RSAN_STEP_LOCK, sync->object, sync->releases);
}

// Does what replaces the object's releases contain them, as it does where mutexes are unlocked
// by who has locked them? (Under a floor the comparison may say so without reason.)
static bool continues(const struct rsan_thread *thread, const struct rsan_sync *sync,
                      enum rsan_edge edge) {
  return edge == RSAN_CERTAIN && !thread->engine->indices.taken_by_force &&
         rsan_stamp_covers(&thread->sc.vs, &sync->vs);
}

// Does the object say already what it would say then? It has a release of the thread, who has
// done nothing since. (What S knows, and machines, are not asked about.)
static bool says_it_already(const struct rsan_thread *thread, const struct rsan_sync *sync,
                            enum rsan_edge edge, bool merge) {
  const struct rsan_stamp *vs = &thread->sc.vs;
  uint32_t index = thread->hb.index;
  if (!rsan_fast_is_unchanged(&thread->hb.fast, rsan_stamp_get(&sync->c, index)) || thread->s ||
      sync->s || thread->machines)
    return false;
  if (edge == RSAN_UNCERTAIN)
    return merge;
  if (thread->sc.changed)
    return false;
  return merge ? rsan_stamp_covers(&sync->vs, vs)
               : sync->c.thread == index && rsan_stamp_is_same(&sync->vs, vs);
}

static void release_views(struct rsan_thread *thread, struct rsan_sync *sync, enum rsan_edge edge,
                          bool merge) {
  if (merge) {
    rsan_hb_release(&thread->hb, &sync->c, &thread->hb.c);
    if (edge == RSAN_CERTAIN)
      rsan_stamp_release(&sync->vs, rsan_sc_release(&thread->sc));
  } else {
    if (!continues(thread, sync, edge))
      sync->object = 0;
    rsan_stamp_assign(&sync->c, &thread->hb.c);
    if (edge == RSAN_CERTAIN)
      rsan_stamp_assign(&sync->vs, rsan_sc_release(&thread->sc));
    else
      rsan_stamp_clear(&sync->vs);
  }
}

// Says whether that is anything new: then the thread's epoch is over.
static bool release_within_epoch(struct rsan_thread *thread, struct rsan_sync *sync,
                                 enum rsan_edge edge, bool merge) {
  bool anew = !says_it_already(thread, sync, edge, merge);
  if (!anew && !thread->in_full)
    return false;
  uint64_t number = thread->machines ? ++thread->sc.vs.index : 0;
  if (anew)
    release_views(thread, sync, edge, merge);
  if (!merge)
    rsan_seqcst_sync_clear(sync);
  if (thread->in_full)
    release_beside(thread, sync, edge, merge);
  if (thread->machines)
    rsan_machines_release(thread->machines, sync->machines, number, merge);
  rsan_seqcst_release(thread, sync);
  return anew;
}

static void release(struct rsan_thread *thread, struct rsan_sync *sync, enum rsan_edge edge,
                    bool merge) {
  bool anew = release_within_epoch(thread, sync, edge, merge);
  if (anew)
    rsan_hb_tick_released(&thread->hb);
  if (thread->machines)
    rsan_fast_view_changed(&thread->sc.fast, rsan_machines_fence(thread->machines));
  if (edge == RSAN_CERTAIN)
    rsan_note_unlock(thread, sync, anew);
}

void rsan_release(struct rsan_thread *thread, struct rsan_sync *sync, enum rsan_edge edge) {
  release(thread, sync, edge, false);
}

void rsan_release_merge(struct rsan_thread *thread, struct rsan_sync *sync, enum rsan_edge edge) {
  release(thread, sync, edge, true);
}

struct rsan_engine *rsan_engine_new(const struct rsan_options *options) {
  struct rsan_engine *engine = RSAN_NEW(struct rsan_engine);
  engine->options = *options;
  engine->reference = rsan_reference_new(options);
  engine->machines = rsan_machines_new(options);
  if (options->weak)
    engine->weak = RSAN_NEW(struct rsan_weak);
  if (options->history == RSAN_HISTORY_BOUNDED)
    rsan_budget_init(&engine->budget, options->location_budget, options->large_locations);
  engine->seqcst.exact = options->seq_cst == RSAN_SEQ_CST_EXACT;
  engine->seqcst.from_fences = engine->seqcst.exact && options->history == RSAN_HISTORY_EXACT;
  atomic_init(&engine->fences, 1);
  engine->withdrawn = rsan_location_make(engine);
  engine->ending = rsan_sync_new(engine);
  rsan_logs_init(&engine->logs, options->explain_history);
  return engine;
}

void rsan_engine_explain_nothing(struct rsan_engine *engine) {
  rsan_logs_stop(&engine->logs);
}

void rsan_engine_keep_all(struct rsan_engine *engine, struct rsan_thread *thread) {
  engine->options.history = RSAN_HISTORY_EXACT;
  rsan_budget_init(&engine->budget, 0, 0);
  if (engine->machines)
    rsan_machines_keep_all(engine->machines, thread->machines);
}

static void ask_for_full_accesses(struct rsan_engine *engine, bool always) {
  rsan_lock_shared(&engine->views.lock);
  for (struct rsan_view *view = engine->views.first; view; view = view->next) {
    struct rsan_thread *thread =
        (struct rsan_thread *)((char *)view - offsetof(struct rsan_thread, view));
    thread->in_full = always || engine->reference || engine->weak;
    rsan_again_begin(thread);
    if (rsan_cxx20_is_on(engine))
      rsan_cxx20_take_part(thread);
  }
  rsan_unlock_shared(&engine->views.lock);
}

void rsan_engine_begin_cxx20(struct rsan_engine *engine) {
  if (engine->options.targets & ~(uint32_t)RSAN_TARGET_C11)
    return;
  if (!engine->cxx20)
    engine->cxx20 = RSAN_NEW(struct rsan_cxx20);
  rsan_cxx20_begin_anew(engine->cxx20);
  ask_for_full_accesses(engine, true);
}

void rsan_engine_end_cxx20(struct rsan_engine *engine) {
  if (!rsan_cxx20_is_on(engine))
    return;
  engine->cxx20->generation = 0;
  ask_for_full_accesses(engine, false);
}

bool rsan_engine_has_cxx20(const struct rsan_engine *engine) {
  return rsan_cxx20_is_on(engine);
}

uint64_t rsan_engine_apart(const struct rsan_engine *engine) {
  return engine->cxx20 ? atomic_load_explicit(&engine->cxx20->apart, memory_order_relaxed) : 0;
}

uint64_t rsan_engine_stat(struct rsan_engine *engine, enum rsan_stat stat) {
  uint64_t count = atomic_load_explicit(&engine->counters.count[stat], memory_order_relaxed);
  rsan_lock_shared(&engine->views.lock);
  for (const struct rsan_view *view = engine->views.first; view; view = view->next)
    count += __atomic_load_n(&view->counters->count[stat], __ATOMIC_RELAXED);
  rsan_unlock_shared(&engine->views.lock);
  return count;
}

struct rsan_thread *rsan_thread_create(struct rsan_engine *engine, struct rsan_thread *creator,
                                       uint32_t owner) {
  struct rsan_thread *thread = RSAN_NEW(struct rsan_thread);
  thread->engine = engine;
  uint64_t epoch, sc_index;
  rsan_lock(&engine->index_lock);
  uint32_t index =
      rsan_index_take(&engine->indices, creator ? &creator->hb.c : 0, creator ? &creator->sc.vs : 0,
                      &epoch, &sc_index, &engine->counters);
  rsan_unlock(&engine->index_lock);
  rsan_hb_init(&thread->hb, index, epoch, &engine->indices);
  thread->log = rsan_log_new(&engine->logs);
  thread->sc.vs = (struct rsan_stamp){.thread = index, .index = sc_index};
  thread->sc.changed = true;
  if (engine->reference)
    thread->reference = RSAN_NEW(struct rsan_reference_thread);
  thread->in_full = engine->reference || engine->weak || rsan_cxx20_is_on(engine);
  if (rsan_cxx20_is_on(engine))
    rsan_cxx20_take_part(thread);
  if (engine->machines)
    thread->machines = rsan_machines_thread_new(engine->machines, index);
  rsan_thread_set_owner(thread, owner);
  if (creator) {
    struct rsan_sync *edge = rsan_sync_new(engine);
    release_within_epoch(creator, edge, RSAN_CERTAIN, false);
    rsan_hb_tick_released(&creator->hb);
    acquire_from(thread, edge, RSAN_CERTAIN);
    rsan_note_create(creator, thread);
    rsan_sync_free(edge);
  }
  thread->view.hb = &thread->hb;
  thread->view.counters = &thread->counters;
  rsan_views_add(&engine->views, &thread->view);
  return thread;
}

void rsan_thread_set_owner(struct rsan_thread *thread, uint32_t owner) {
  thread->owner = owner;
  rsan_again_begin(thread);
  rsan_log_set_owner(&thread->engine->logs, thread->log, owner);
}

void rsan_thread_at(struct rsan_thread *thread, const struct rsan_program_point *at) {
  thread->at = *at;
}

void rsan_thread_finish(struct rsan_thread *thread) {
  struct rsan_engine *engine = thread->engine;
  thread->end = rsan_sync_new(engine);
  release_within_epoch(thread, thread->end, RSAN_CERTAIN, false);
  if (thread->machines)
    rsan_machines_thread_finish(engine->machines, thread->machines);
  thread->machines = 0;
  rsan_note_end(thread);
  rsan_location_drop_spares(thread);
  rsan_cxx20_end(thread);
  rsan_views_finish(&engine->views, &thread->view);
  rsan_lock(&engine->index_lock);
  rsan_seqcst_end(thread);
  rsan_index_give(&engine->indices, thread->hb.index, rsan_hb_epoch(&thread->hb),
                  thread->sc.vs.index);
  rsan_unlock(&engine->index_lock);
}

void rsan_thread_join(struct rsan_thread *joiner, const struct rsan_thread *finished) {
  acquire_from(joiner, finished->end, RSAN_CERTAIN);
  rsan_note_edge(joiner, RSAN_STEP_JOIN, finished->end->object, 1);
}

void rsan_thread_free(struct rsan_thread *thread) {
  if (!thread)
    return;
  rsan_location_drop_spares(thread);
  rsan_views_remove(&thread->engine->views, &thread->view);
  for (unsigned stat = 0; stat < RSAN_STAT_COUNT; stat++)
    atomic_fetch_add_explicit(&thread->engine->counters.count[stat], thread->counters.count[stat],
                              memory_order_relaxed);
  rsan_hb_clear(&thread->hb);
  rsan_stamp_clear(&thread->sc.vs);
  rsan_sync_free(thread->end);
  rsan_log_retire(&thread->engine->logs, thread->log);
  rsan_machines_thread_free(thread->machines);
  RSAN_CLOCKS_FREE(thread->reference);
  rsan_cxx20_thread_free(thread);
  rsan_s_thread_free(thread->s);
  rsan_host_free(thread);
}
