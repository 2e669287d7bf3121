// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cxx20.h"

#include "../host.h"

// -- state, made at its first use in a generation --

static struct rsan_cxx20_thread *cxx20_state_of(struct rsan_thread *thread) {
  struct rsan_cxx20 *all = thread->engine->cxx20;
  struct rsan_cxx20_thread *state = thread->cxx20;
  if (state && state->generation == all->generation)
    return state;
  if (!state) {
    state = thread->cxx20 = RSAN_NEW(struct rsan_cxx20_thread);
    state->next = all->threads;
    if (state->next)
      state->next->previous = state;
    all->threads = state;
  }
  RSAN_CLOCKS_CLEAR(&state->views);
  state->generation = all->generation;
  state->id = all->next_id++;
  rsan_cxx20_begin(&state->views, state->id);
  return state;
}

// A load that the host leaves out because it repeats another one would be missed.
static struct rsan_cxx20_thread *cxx20_step_of(struct rsan_thread *thread) {
  rsan_fast_view_changed(&thread->sc.fast, true);
  return cxx20_state_of(thread);
}

// What the thread has done so far by the host's own clocks.
static void cxx20_take_mark(struct rsan_cxx20_thread *state) {
  uint32_t slot;
  uint64_t last, number = rsan_host_mark(&slot, &last);
  if (!number)
    return;
  if (state->slot != slot)
    rsan_cxx20_mark(&state->views, state->slot, state->last);
  state->slot = slot;
  state->last = last;
  rsan_cxx20_mark(&state->views, slot, number);
}

// The same before a step that may release: it releases the host's mark as well.
static struct rsan_cxx20_thread *cxx20_release_of(struct rsan_thread *thread) {
  struct rsan_cxx20_thread *state = cxx20_step_of(thread);
  cxx20_take_mark(state);
  return state;
}

// Returns the state of the location. It starts over in each generation, because every thread knows
// all that was done there before.
static struct rsan_cxx20_there *cxx20_there_of(const struct rsan_engine *engine,
                                               struct rsan_location *location) {
  uint32_t generation = engine->cxx20->generation;
  if (location->more == &rsan_nothing_more) {
    location->more = RSAN_NEW(struct rsan_location_more);
    location->more->unseen_writes =
        atomic_load_explicit(&engine->unseen_writes, memory_order_relaxed);
  }
  if (!location->more->cxx20)
    location->more->cxx20 = RSAN_NEW(struct rsan_cxx20_location);
  struct rsan_cxx20_location *state = location->more->cxx20;
  if (state->generation != generation) {
    rsan_cxx20_clear(&state->there);
    rsan_cxx20_restart(&state->there, location->history.newest);
    state->generation = generation;
  }
  return &state->there;
}

static const struct rsan_cxx20_there *cxx20_known_there(const struct rsan_engine *engine,
                                                        const struct rsan_location *location) {
  const struct rsan_cxx20_location *state = location->more->cxx20;
  return state && state->generation == engine->cxx20->generation ? &state->there : 0;
}

static struct rsan_cxx20_flows *cxx20_flows_of(const struct rsan_engine *engine,
                                               struct rsan_sync *sync) {
  if (!sync->cxx20)
    sync->cxx20 = RSAN_NEW(struct rsan_cxx20_sync);
  if (sync->cxx20->generation != engine->cxx20->generation)
    RSAN_CLOCKS_CLEAR(&sync->cxx20->flows);
  sync->cxx20->generation = engine->cxx20->generation;
  return &sync->cxx20->flows;
}

static const struct rsan_cxx20_flows *cxx20_known_flows(const struct rsan_engine *engine,
                                                        const struct rsan_sync *sync) {
  const struct rsan_cxx20_sync *state = sync->cxx20;
  return state && state->generation == engine->cxx20->generation ? &state->flows : 0;
}

// -- the check --

static bool cxx20_misses(const struct rsan_thread *thread, const struct rsan_location *location,
                         const struct rsan_access *access, uint64_t known) {
  return known < location->history.newest &&
         rsan_compact_check(&thread->sc, &location->history, &thread->engine->indices, access,
                            known);
}

// As engine/check.c does: what may be missed by happens-before is held against S as well.
static bool cxx20_violates(const struct rsan_thread *thread, const struct rsan_cxx20_views *views,
                           const struct rsan_location *location, const struct rsan_access *access) {
  const struct rsan_cxx20_there *there = cxx20_known_there(thread->engine, location);
  if (!there ||
      !cxx20_misses(thread, location, access, rsan_cxx20_known(views, there, false, false)))
    return false;
  struct rsan_branch branches[2];
  unsigned count = rsan_branches_of(access, branches);
  for (unsigned i = 0; i < count; i++)
    if (cxx20_misses(thread, location, &branches[i].access,
                     rsan_cxx20_known(views, there, true, branches[i].seq_cst)))
      return true;
  return false;
}

// Where sizes are mixed, RC20's analysis puts more before a step than happens-before does. The
// answers may differ for that reason too, so nothing is proved then, not even for RC20's fences.
static void cxx20_note_apart(struct rsan_thread *thread) {
  struct rsan_cxx20 *all = thread->engine->cxx20;
  RSAN_COUNT_OWN(&thread->counters, mixed_accesses, all->mixes);
  atomic_fetch_add_explicit(&all->apart, 1, memory_order_relaxed);
}

void rsan_cxx20_judge(struct rsan_thread *thread, const struct rsan_location *location,
                      const struct rsan_access *access) {
  struct rsan_cxx20 *all = thread->engine->cxx20;
  rsan_lock(&all->lock);
  if (cxx20_violates(thread, &cxx20_state_of(thread)->views, location, access))
    cxx20_note_apart(thread);
  rsan_unlock(&all->lock);
}

// -- steps --

void rsan_cxx20_update(struct rsan_thread *thread, struct rsan_location *location,
                       const struct rsan_access *access) {
  struct rsan_cxx20 *all = thread->engine->cxx20;
  uint64_t newest = location->history.newest + (access->kind != RSAN_READ);
  rsan_lock(&all->lock);
  struct rsan_cxx20_thread *state = cxx20_release_of(thread);
  rsan_cxx20_access(&state->views, state->id, cxx20_there_of(thread->engine, location), 1, access,
                    newest);
  rsan_unlock(&all->lock);
}

// Returns the states of the bytes. They start over in each generation, as that of a location does.
static struct rsan_cxx20_there *cxx20_bytes_of(const struct rsan_engine *engine,
                                               struct rsan_mixed *mixed, uint64_t newest) {
  uint32_t generation = engine->cxx20->generation;
  if (!mixed->cxx20)
    mixed->cxx20 = RSAN_NEW(struct rsan_cxx20_bytes);
  struct rsan_cxx20_bytes *bytes = mixed->cxx20;
  for (uint32_t i = 0; bytes->generation != generation && i < RSAN_MIXED_BYTES; i++) {
    rsan_cxx20_clear(&bytes->there[i]);
    rsan_cxx20_restart(&bytes->there[i], newest);
  }
  bytes->generation = generation;
  return bytes->there;
}

uint64_t rsan_cxx20_known_of_byte(struct rsan_thread *thread, struct rsan_mixed *mixed,
                                  uint32_t byte, bool seq_cst) {
  struct rsan_cxx20 *all = thread->engine->cxx20;
  rsan_lock(&all->lock);
  const struct rsan_cxx20_there *there =
      cxx20_bytes_of(thread->engine, mixed, mixed->whole->history.newest);
  uint64_t known = rsan_cxx20_known(&cxx20_state_of(thread)->views, &there[byte], true, seq_cst);
  rsan_unlock(&all->lock);
  return known;
}

void rsan_cxx20_update_bytes(struct rsan_thread *thread, struct rsan_mixed *mixed, uint32_t first,
                             const struct rsan_access *access) {
  struct rsan_cxx20 *all = thread->engine->cxx20;
  uint64_t newest = mixed->whole->history.newest;
  rsan_lock(&all->lock);
  struct rsan_cxx20_thread *state = cxx20_release_of(thread);
  struct rsan_cxx20_there *there = cxx20_bytes_of(thread->engine, mixed, newest);
  all->mixes = true;
  rsan_cxx20_access(&state->views, state->id, &there[first], access->size, access,
                    newest + (access->kind != RSAN_READ));
  rsan_unlock(&all->lock);
}

void rsan_cxx20_restart_bytes(struct rsan_mixed *mixed) {
  for (uint32_t i = 0; mixed->cxx20 && i < RSAN_MIXED_BYTES; i++)
    rsan_cxx20_restart(&mixed->cxx20->there[i], mixed->whole->history.newest);
}

void rsan_cxx20_move_bytes(struct rsan_engine *engine, struct rsan_mixed *mixed,
                           const struct rsan_location *part, uint32_t offset) {
  rsan_lock(&engine->cxx20->lock);
  struct rsan_cxx20_there *there = cxx20_bytes_of(engine, mixed, 0);
  const struct rsan_cxx20_bytes *bytes = part->mixes ? part->mixed->cxx20 : 0;
  const struct rsan_cxx20_there *known = part->mixes ? 0 : cxx20_known_there(engine, part);
  if (bytes && bytes->generation == engine->cxx20->generation)
    known = bytes->there;
  uint64_t newest = (part->mixes ? part->mixed->whole : part)->history.newest;
  for (uint32_t i = 0; i < part->size; i++)
    if (known)
      rsan_cxx20_copy(&there[offset + i], &known[bytes ? i : 0]);
    else
      rsan_cxx20_restart(&there[offset + i], newest);
  rsan_unlock(&engine->cxx20->lock);
}

void rsan_cxx20_bytes_free(struct rsan_cxx20_bytes *bytes) {
  for (uint32_t i = 0; bytes && i < RSAN_MIXED_BYTES; i++)
    rsan_cxx20_clear(&bytes->there[i]);
  rsan_host_free(bytes);
}

void rsan_cxx20_pass_fence(struct rsan_thread *thread, enum rsan_order order) {
  struct rsan_cxx20 *all = thread->engine->cxx20;
  rsan_lock(&all->lock);
  struct rsan_cxx20_thread *state = cxx20_release_of(thread);
  all->fences += order == RSAN_SEQ_CST;
  rsan_cxx20_fence(&state->views, state->id, order);
  rsan_unlock(&all->lock);
}

void rsan_cxx20_pass_access(struct rsan_thread *thread, struct rsan_location *location) {
  struct rsan_cxx20 *all = thread->engine->cxx20;
  rsan_lock(&all->lock);
  struct rsan_cxx20_thread *state = cxx20_release_of(thread);
  rsan_cxx20_pass(&state->views, state->id, cxx20_there_of(thread->engine, location));
  rsan_unlock(&all->lock);
}

void rsan_cxx20_acquire_location(struct rsan_thread *thread, struct rsan_location *location) {
  struct rsan_cxx20 *all = thread->engine->cxx20;
  rsan_lock(&all->lock);
  struct rsan_cxx20_thread *state = cxx20_step_of(thread);
  rsan_cxx20_acquire_there(&state->views, state->id, cxx20_there_of(thread->engine, location),
                           location->history.newest);
  rsan_unlock(&all->lock);
}

void rsan_cxx20_acquire_from(struct rsan_thread *thread, const struct rsan_sync *sync) {
  struct rsan_cxx20 *all = thread->engine->cxx20;
  rsan_lock(&all->lock);
  const struct rsan_cxx20_flows *flows = cxx20_known_flows(thread->engine, sync);
  if (flows)
    rsan_cxx20_acquire(&cxx20_step_of(thread)->views, flows);
  rsan_unlock(&all->lock);
}

void rsan_cxx20_release_to(struct rsan_thread *thread, struct rsan_sync *sync, bool merge) {
  struct rsan_cxx20 *all = thread->engine->cxx20;
  rsan_lock(&all->lock);
  struct rsan_cxx20_flows *flows = cxx20_flows_of(thread->engine, sync);
  struct rsan_cxx20_thread *state = cxx20_release_of(thread);
  if (!merge)
    RSAN_CLOCKS_CLEAR(flows);
  rsan_cxx20_release(&state->views, state->id, flows);
  rsan_unlock(&all->lock);
}

void rsan_cxx20_write_after(struct rsan_engine *engine, struct rsan_location *location,
                            const struct rsan_sync *sync) {
  rsan_lock(&engine->cxx20->lock);
  const struct rsan_cxx20_flows *flows = cxx20_known_flows(engine, sync);
  if (flows)
    RSAN_CLOCKS_JOIN(&cxx20_there_of(engine, location)->w, flows);
  rsan_unlock(&engine->cxx20->lock);
}

void rsan_cxx20_start_over(struct rsan_location *location) {
  if (location->more->cxx20)
    rsan_cxx20_restart(&location->more->cxx20->there, 0);
}

void rsan_cxx20_withdraw(struct rsan_engine *engine, struct rsan_location *into,
                         const struct rsan_location *location) {
  rsan_lock(&engine->cxx20->lock);
  const struct rsan_cxx20_there *there = cxx20_known_there(engine, location);
  if (there)
    rsan_cxx20_merge(cxx20_there_of(engine, into), there);
  rsan_unlock(&engine->cxx20->lock);
}

// -- what may be forgotten --

// The newest version that all threads which take part know; all running threads do.
static uint64_t cxx20_known_to_all(const struct rsan_cxx20 *all,
                                   const struct rsan_cxx20_there *there, uint64_t newest) {
  uint64_t least = newest;
  for (const struct rsan_cxx20_thread *state = all->threads; state; state = state->next) {
    if (state->ended || state->generation != all->generation)
      continue;
    uint64_t known = rsan_cxx20_known(&state->views, there, false, false);
    least = known < least ? known : least;
  }
  return least;
}

uint64_t rsan_cxx20_forget(struct rsan_engine *engine, struct rsan_location *location) {
  struct rsan_cxx20 *all = engine->cxx20;
  rsan_lock(&all->lock);
  struct rsan_cxx20_there *there = cxx20_there_of(engine, location);
  uint64_t least = cxx20_known_to_all(all, there, location->history.newest);
  rsan_cxx20_forget_below(there, least);
  rsan_unlock(&all->lock);
  return least;
}

// -- beginnings and ends --

void rsan_cxx20_begin_anew(struct rsan_cxx20 *all) {
  all->generation = ++all->generations;
  all->next_id = 0;
  all->fences = 0;
  all->mixes = false;
}

void rsan_cxx20_take_part(struct rsan_thread *thread) {
  rsan_lock(&thread->engine->cxx20->lock);
  cxx20_state_of(thread);
  rsan_unlock(&thread->engine->cxx20->lock);
}

bool rsan_thread_knows(struct rsan_thread *thread, uint32_t slot, uint64_t number) {
  struct rsan_cxx20 *all = thread->engine->cxx20;
  if (!rsan_cxx20_is_on(thread->engine))
    return true;
  rsan_lock(&all->lock);
  struct rsan_cxx20_thread *state = cxx20_state_of(thread);
  cxx20_take_mark(state);
  bool knows = (all->fences < 2 && !all->mixes) || rsan_cxx20_has_mark(&state->views, slot, number);
  rsan_unlock(&all->lock);
  return knows;
}

bool rsan_engine_met_sizes(const struct rsan_engine *engine) {
  return rsan_cxx20_is_on(engine) && engine->cxx20->mixes;
}

void rsan_cxx20_end(struct rsan_thread *thread) {
  if (thread->cxx20)
    thread->cxx20->ended = true;
}

void rsan_cxx20_thread_free(struct rsan_thread *thread) {
  struct rsan_cxx20_thread *state = thread->cxx20;
  if (!state)
    return;
  struct rsan_cxx20 *all = thread->engine->cxx20;
  rsan_lock(&all->lock);
  if (state->next)
    state->next->previous = state->previous;
  if (state->previous)
    state->previous->next = state->next;
  else
    all->threads = state->next;
  rsan_unlock(&all->lock);
  RSAN_CLOCKS_CLEAR(&state->views);
  rsan_host_free(state);
}

void rsan_cxx20_location_free(struct rsan_cxx20_location *location) {
  if (!location)
    return;
  rsan_cxx20_clear(&location->there);
  rsan_host_free(location);
}

void rsan_cxx20_sync_free(struct rsan_cxx20_sync *sync) {
  if (!sync)
    return;
  RSAN_CLOCKS_CLEAR(&sync->flows);
  rsan_host_free(sync);
}
