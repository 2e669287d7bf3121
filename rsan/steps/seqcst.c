// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "seqcst.h"

#include "../host.h"
#include "note.h"

void rsan_seqcst_clear(struct rsan_engine *engine) {
  struct rsan_engine_seqcst *seqcst = &engine->seqcst;
  rsan_s_fence_unshare(seqcst->start);
  rsan_s_fence_unshare(engine->latest_fence);
  for (uint32_t i = 0; i < seqcst->ends_room; i++)
    rsan_s_clear(&seqcst->ends[i]);
  rsan_host_free(seqcst->ends);
}

void rsan_seqcst_start(struct rsan_engine *engine) {
  const struct rsan_stamp nothing = {0};
  struct rsan_stamp c = {0};
  if (!rsan_stamp_is_empty(&engine->fence_w)) {
    rsan_stamp_assign(&c, &engine->fence_w);
    engine->seqcst.start = rsan_s_fence_new(&engine->latest_fence, &nothing, &c);
    RSAN_COUNT(&engine->counters, late_seq_cst);
  }
  if (engine->weak) // no fence repeats one from before: the rule of departures has it as an event
    atomic_fetch_add_explicit(&engine->fences, 1, memory_order_release);
  atomic_store_explicit(&engine->seqcst.on, true, memory_order_release);
}

// What the thread's next events are S-after has changed: a load repeated by it now is another one,
// and so is an SC fence.
static void change(struct rsan_thread *thread) {
  rsan_fast_view_changed(&thread->sc.fast, true);
  rsan_fast_acts(&thread->hb.fast);
}

static struct rsan_s_thread *views_of(struct rsan_thread *thread) {
  struct rsan_engine_seqcst *seqcst = &thread->engine->seqcst;
  struct rsan_s_thread *views = thread->s;
  if (views)
    return views;
  views = thread->s = RSAN_NEW(struct rsan_s_thread);
  uint32_t index = thread->hb.index;
  views->st.n.thread = index;
  rsan_lock(&thread->engine->index_lock);
  if (index < seqcst->ends_room && seqcst->ends[index].n.thread == index)
    rsan_s_assign(&views->st, &seqcst->ends[index]);
  rsan_unlock(&thread->engine->index_lock);
  rsan_s_fence_join(&views->st.fence, seqcst->start);
  change(thread);
  return views;
}

// Makes the views of the location if it has none, of `thread`'s spare memory unless `thread` is
// NULL.
static struct rsan_s_location *views_there(struct rsan_thread *thread,
                                           struct rsan_location *location) {
  if (!location->s) {
    location->s = thread && thread->spare_s_count ? thread->spare_s[--thread->spare_s_count]
                                                  : RSAN_NEW(struct rsan_s_location);
    location->s->records.base = location->compact.records.base;
  }
  return location->s;
}

void rsan_seqcst_begin(struct rsan_thread *thread) {
  struct rsan_engine *engine = thread->engine;
  rsan_lock(&engine->fence_lock);
  if (!rsan_seqcst_is_on(engine))
    rsan_seqcst_start(engine);
  rsan_unlock(&engine->fence_lock);
  views_of(thread);
}

// Flows go where happens-before goes: who knows the clock that was released with them has them.
void rsan_seqcst_update_views(struct rsan_thread *thread, struct rsan_location *location,
                              const struct rsan_access *access) {
  if (!location->s && rsan_s_leaves_nothing(thread->s, access))
    return;
  if (rsan_s_access(views_of(thread), views_there(thread, location), &location->compact.records,
                    access, location->history.newest,
                    rsan_hb_reads_nothing(&thread->hb, &location->hb_w, access->order)))
    change(thread);
}

void rsan_seqcst_depart(struct rsan_thread *thread, struct rsan_location *location,
                        const struct rsan_access *access, uint64_t version,
                        const struct rsan_s_flows *flows) {
  if (!rsan_seqcst_is_on(thread->engine))
    return;
  rsan_s_depart(views_of(thread), views_there(thread, location), access, version, flows);
  change(thread);
}

void rsan_seqcst_advance_views(const struct rsan_thread *thread, struct rsan_location *location,
                               const struct rsan_access *access) {
  bool writes = access->order == RSAN_SEQ_CST && access->kind != RSAN_READ;
  rsan_s_advance(thread->s, location->s, location->history.newest,
                 writes && rsan_hides_last_epoch(thread, location, access));
}

void rsan_seqcst_collect(struct rsan_engine *engine, struct rsan_location *location) {
  if (!location->s)
    return;
  rsan_fast_event_forget_there(&location->s->fast);
  RSAN_ADD(&engine->counters, merged_records,
           rsan_collect_records(&location->s->records, location->compact.records.base,
                                engine->options.history == RSAN_HISTORY_BOUNDED));
}

void rsan_seqcst_fence_sc(struct rsan_thread *thread) {
  if (!rsan_seqcst_is_on(thread->engine))
    return;
  rsan_s_fence_sc(views_of(thread), &thread->hb, &thread->engine->latest_fence);
  rsan_fast_view_changed(&thread->sc.fast, true);
}

void rsan_seqcst_fence_weak(struct rsan_thread *thread, enum rsan_order order) {
  if (thread->s && rsan_s_fence_weak(thread->s, order))
    change(thread);
}

// Fences are ordered by happens-before as by S: each has what those before it had.
static struct rsan_s_fence *fence_of_all(struct rsan_engine *engine,
                                         const struct rsan_stamp *everything) {
  struct rsan_stamp n = {.thread = RSAN_MERGED}, c = {0};
  rsan_lock(&engine->fence_lock);
  const struct rsan_s_fence *latest = engine->latest_fence;
  rsan_stamp_merge(&engine->fence_w, everything);
  atomic_fetch_add_explicit(&engine->fences, 1, memory_order_release);
  rsan_stamp_assign(&c, &engine->fence_w);
  if (latest)
    rsan_stamp_assign(&n, &latest->n);
  struct rsan_s_fence *fence = rsan_s_fence_new(&engine->latest_fence, &n, &c);
  rsan_unlock(&engine->fence_lock);
  return fence;
}

void rsan_seqcst_unseen_write(struct rsan_engine *engine, struct rsan_location *location,
                              const struct rsan_stamp *everything) {
  if (!rsan_seqcst_is_on(engine))
    return;
  struct rsan_s_fence *fence = fence_of_all(engine, everything);
  rsan_s_write_after_fence(views_there(NULL, location), fence);
  rsan_s_fence_unshare(fence);
}

void rsan_seqcst_write_after(struct rsan_location *location, const struct rsan_sync *sync) {
  if (sync->s)
    rsan_s_write_after(views_there(NULL, location), sync->s);
}

void rsan_seqcst_withdraw(struct rsan_location *into, struct rsan_location *from) {
  if (from->s)
    rsan_s_withdraw(views_there(NULL, into), from->s);
}

static void acquire(struct rsan_thread *thread, const struct rsan_s_flows *flows) {
  if (rsan_s_acquire(views_of(thread), flows))
    change(thread);
}

void rsan_seqcst_acquire_unseen(struct rsan_thread *thread, const struct rsan_stamp *everything) {
  if (!rsan_seqcst_is_on(thread->engine))
    return;
  struct rsan_s_fence *fence = fence_of_all(thread->engine, everything);
  acquire(thread, &(struct rsan_s_flows){.f = fence, .h = {.fence = fence}});
  rsan_s_fence_unshare(fence);
}

void rsan_seqcst_acquire_location(struct rsan_thread *thread,
                                  const struct rsan_location *location) {
  if (location->s && rsan_s_acquire_location(views_of(thread), location->s))
    change(thread);
}

void rsan_seqcst_pass(struct rsan_thread *thread, struct rsan_location *location) {
  if (!rsan_seqcst_is_on(thread->engine))
    return;
  rsan_s_pass(views_of(thread), views_there(thread, location));
  change(thread);
}

// Keeps the thread's last view. A view with a later event of the index has this one as well, as the
// next thread begins where this one ends.
void rsan_seqcst_end(const struct rsan_thread *thread) {
  struct rsan_engine_seqcst *seqcst = &thread->engine->seqcst;
  uint32_t index = thread->hb.index;
  if (!thread->s)
    return;
  seqcst->ends = rsan_make_room(seqcst->ends, &seqcst->ends_room, index, sizeof *seqcst->ends);
  rsan_s_assign(&seqcst->ends[index], &thread->s->st);
}

void rsan_seqcst_release(struct rsan_thread *thread, struct rsan_sync *sync) {
  if (!thread->s)
    return;
  if (!sync->s)
    sync->s = RSAN_NEW(struct rsan_s_flows);
  rsan_s_release(thread->s, sync->s);
}

void rsan_seqcst_acquire(struct rsan_thread *thread, const struct rsan_sync *sync) {
  if (sync->s)
    acquire(thread, sync->s);
}

void rsan_seqcst_sync_clear(struct rsan_sync *sync) {
  if (sync->s)
    rsan_s_flows_clear(sync->s);
}
