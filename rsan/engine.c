// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomic accesses. The order of steps is docs/ALGORITHM.md section 2's 'access'; what a seq_cst
// access is besides is in engine_seqcst.h.

#include "engine.h"

#include "engine_again.h"
#include "engine_check.h"
#include "engine_explain.h"
#include "engine_seqcst.h"
#include "engine_types.h"
#include "engine_unseen.h"
#include "host.h"
#include "machines/machines.h"
#include "streak.h"

static uint32_t next_value_id(void *engine) {
  _Atomic uint32_t *next = &((struct rsan_engine *)engine)->next_value_id;
  return atomic_fetch_add_explicit(next, 1, memory_order_relaxed);
}

// Starts the location's history over, known to all, with `value`. The happens-before clock stays:
// too much of it only hides. `log`: of the thread that sees it; NULL: nothing will rest on it.
static void restart(struct rsan_engine *engine, struct rsan_location *location,
                    struct rsan_value value, struct rsan_log *log) {
  rsan_streak_end(location);
  rsan_history_restart(&location->history, value);
  rsan_compact_location_restart(&location->compact);
  rsan_seqcst_restart(location);
  location->object = rsan_log_object(&engine->logs, log);
  struct rsan_explicit_location *explicit_clocks = location->more->explicit_clocks;
  if (explicit_clocks) {
    struct rsan_clock w[RSAN_FAMILIES];
    for (unsigned family = 0; family < RSAN_FAMILIES; family++) {
      w[family] = explicit_clocks->w[family];
      explicit_clocks->w[family] = (struct rsan_clock){0};
    }
    rsan_explicit_location_clear(explicit_clocks);
    for (unsigned family = 0; family < RSAN_FAMILIES; family++)
      explicit_clocks->w[family] = w[family];
    explicit_clocks->id =
        atomic_fetch_add_explicit(&engine->next_location_id, 1, memory_order_relaxed);
  }
  if (location->more->machines)
    rsan_machines_location_restart(location->more->machines);
  location->started = true;
}

// Takes version 0 from memory: at the first access, and where a foreign write is found, a value
// that the newest version did not leave (atomic_init, a plain store, an access in code that is not
// analysed). No report can rest on what was before it.
__attribute__((noinline)) static void begin_anew(struct rsan_thread *thread,
                                                 struct rsan_location *location,
                                                 const struct rsan_access *access) {
  bool first = !location->started;
  RSAN_COUNT_OWN(&thread->counters, foreign_writes, !first);
  restart(thread->engine, location, access->seen, thread->log);
  rsan_unseen_find(thread, location,
                   rsan_host_who_wrote(access->address, access->size, access->seen, first));
}

static void settle(struct rsan_thread *thread, struct rsan_location *location,
                   const struct rsan_access *access) {
  if (!location->started || !rsan_value_equal(location->history.value, access->seen))
    begin_anew(thread, location, access);
}

static void collect(struct rsan_engine *engine, struct rsan_location *location) {
  struct rsan_history *history = &location->history;
  struct rsan_records *records = &location->compact.records;
  uint32_t entries = history->count + records->count + rsan_seqcst_entries(location);
  if (engine->machines && engine->options.history == RSAN_HISTORY_EXACT)
    return; // a machine may not know what all know in C11
  if (!rsan_collect(history, records, &engine->views,
                    engine->options.history == RSAN_HISTORY_BOUNDED,
                    entries >= RSAN_COLLECT_WAIT_ENTRIES, &engine->counters)) {
    location->collect_at = entries + RSAN_COLLECT_MIN_ENTRIES / 2;
    return;
  }
  uint32_t number = (uint32_t)RSAN_COUNT(&engine->counters, collections) + RSAN_COLLECT_BUSY_SPAN;
  bool busy = number - location->collected < RSAN_COLLECT_BUSY_SPAN;
  location->collected = number;
  rsan_seqcst_collect(engine, location);
  entries = 2 * (history->count + records->count + rsan_seqcst_entries(location));
  uint32_t least = RSAN_COLLECT_MIN_ENTRIES * (busy ? RSAN_COLLECT_BUSY_FACTOR : 1);
  location->collect_at = entries > least ? entries : least;
}

// Notes that the thread, which knew version `known`, has read or written the newest one.
static void remember(struct rsan_engine *engine, struct rsan_thread *thread,
                     struct rsan_location *location, const struct rsan_access *access,
                     uint64_t sc_index, uint64_t known) {
  struct rsan_history *history = &location->history;
  struct rsan_records *records = &location->compact.records;
  bool compact = engine->options.clocks == RSAN_CLOCKS_COMPACT;
  uint64_t epoch = rsan_hb_epoch(&thread->hb);
  if (known == history->newest && access->kind == RSAN_READ)
    return;
  rsan_hb_stir(&thread->hb);
  if (rsan_hides_last_epoch(thread, location, access))
    rsan_records_advance(records, thread->hb.index, epoch - 1);
  enum rsan_fold fold = RSAN_FOLDS_NOTHING;
  if (access->kind != RSAN_READ) {
    if (compact && engine->options.history == RSAN_HISTORY_BOUNDED)
      fold = rsan_history_fold(
          history, rsan_seqcst_known_below(
                       location, rsan_records_known_below(records, thread->hb.index, epoch)));
    RSAN_COUNT_OWN(&thread->counters, folded_versions, fold != RSAN_FOLDS_NOTHING);
    rsan_history_append(history, access, thread->hb.index, thread->owner, sc_index);
  }
  if (!compact || known == history->newest)
    return;
  rsan_records_add(records, thread->hb.index, epoch, history->newest);
  if (history->count + records->count + rsan_seqcst_entries(location) >= location->collect_at)
    collect(engine, location); // which may leave nothing to repeat
  else
    rsan_streak_begin(thread, location, access, fold);
}

static void update_hb(struct rsan_thread *thread, struct rsan_location *location,
                      const struct rsan_access *access, enum rsan_order order) {
  bool own = location->hb_w.thread == thread->hb.index;
  if (access->kind == RSAN_READ) {
    rsan_hb_read(&thread->hb, &location->hb_w, order);
    location->w_taken |= !own;
  } else if (access->kind == RSAN_WRITE) {
    rsan_hb_write(&thread->hb, &location->hb_w, order);
    location->w_taken = false;
  } else {
    rsan_hb_rmw(&thread->hb, &location->hb_w, order);
    location->w_taken = (location->w_taken || !own) && !rsan_order_releases(order);
  }
}

static void update_explicit(struct rsan_engine *engine, struct rsan_thread *thread,
                            struct rsan_location *location, const struct rsan_access *access,
                            enum rsan_order order) {
  struct rsan_access plain = *access;
  plain.order = order;
  rsan_explicit_update(thread->explicit_clocks, location->more->explicit_clocks, &plain,
                       next_value_id, engine);
}

static void update(struct rsan_engine *engine, struct rsan_thread *thread,
                   struct rsan_location *location, const struct rsan_access *access,
                   enum rsan_order order, uint64_t known) {
  uint64_t sc_index = rsan_compact_update(&thread->sc, &location->compact, access);
  if (thread->explicit_clocks)
    update_explicit(engine, thread, location, access, order);
  rsan_seqcst_advance(thread, location, access);
  remember(engine, thread, location, access, sc_index, known);
  rsan_seqcst_update(engine, thread, location, access);
  update_hb(thread, location, access, order);
}

// Happens-before through a withdrawn location: all of them are one, and nothing is ever forgotten.
static void access_withdrawn(struct rsan_engine *engine, struct rsan_thread *thread) {
  rsan_lock(&engine->withdrawn_lock);
  rsan_acquire(thread, engine->withdrawn, RSAN_UNCERTAIN);
  rsan_seqcst_pass_withdrawn(engine, thread);
  rsan_release_merge(thread, engine->withdrawn, RSAN_UNCERTAIN);
  rsan_unlock(&engine->withdrawn_lock);
}

static void note_critical(struct rsan_location *location, const struct rsan_access *access) {
  if (access->check == RSAN_CHECK_WAIT || access->check == RSAN_CHECK_BCAS)
    rsan_history_add_critical(&location->history, &access->expected);
}

// The order of the access itself, without what seq_cst adds.
static enum rsan_order without_fence(const struct rsan_access *access) {
  static const enum rsan_order acquire_release[] = {
      [RSAN_READ] = RSAN_ACQUIRE, [RSAN_WRITE] = RSAN_RELEASE, [RSAN_RMW] = RSAN_ACQ_REL};
  return access->order == RSAN_SEQ_CST ? acquire_release[access->kind] : access->order;
}

void rsan_prepare(struct rsan_thread *thread, struct rsan_location *location,
                  const struct rsan_access *access) {
  rsan_streak_end(location);
  settle(thread, location, access);
  note_critical(location, access);
}

static void count_violation(struct rsan_thread *thread, bool violates) {
  if (violates && !thread->engine->machines) // else they decide
    RSAN_COUNT_OWN(&thread->counters, violations, 1);
}

// An access of which nothing is known.
static bool access_at_large(struct rsan_engine *engine, struct rsan_thread *thread,
                            struct rsan_location *location, const struct rsan_access *access,
                            struct rsan_violation *violation) {
  rsan_seqcst_begin(engine, thread, access);
  if (location->withdrawn) {
    access_withdrawn(engine, thread);
    return false;
  }
  rsan_prepare(thread, location, access);
  uint64_t known = 0;
  bool violates = rsan_check(engine, thread, location, access, &known, violation);
  count_violation(thread, violates);
  update(engine, thread, location, access, without_fence(access), known);
  rsan_note_access(thread, location, access);
  return violates;
}

void rsan_catch_up(struct rsan_thread *thread, struct rsan_location *location) {
  const struct rsan_engine *engine = thread->engine;
  if (!rsan_unseen_outdates(engine, location))
    return;
  location->more->unseen_writes =
      atomic_load_explicit(&engine->unseen_writes, memory_order_relaxed);
  if (location->started && !location->withdrawn)
    restart(thread->engine, location, location->history.value, thread->log);
}

// In VERIFY builds, which keep both kinds of clocks: what would have been found in one go?
__attribute__((noinline)) static bool access_and_compare(struct rsan_engine *engine,
                                                         struct rsan_thread *thread,
                                                         struct rsan_location *location,
                                                         const struct rsan_access *access,
                                                         struct rsan_violation *violation) {
  struct rsan_again_state before;
  rsan_catch_up(thread, location);
  if (engine->options.clocks == RSAN_CLOCKS_COMPACT)
    rsan_again_verify(thread, location, access);
  bool again =
      engine->options.clocks == RSAN_CLOCKS_COMPACT && rsan_again_applies(thread, location, access);
  if (again)
    rsan_again_save(thread, location, access, &before);
  bool violates = access_at_large(engine, thread, location, access, violation);
  if (again)
    rsan_again_compare(thread, location, access, &before);
  return violates;
}

bool rsan_access_c11(struct rsan_engine *engine, struct rsan_thread *thread,
                     struct rsan_location *location, const struct rsan_access *access,
                     struct rsan_violation *violation) {
  if (thread->explicit_clocks)
    return access_and_compare(engine, thread, location, access, violation);
  if (rsan_access_again(thread, location, access))
    return false;
  return access_at_large(engine, thread, location, access, violation);
}

bool rsan_arrive_c11(struct rsan_engine *engine, struct rsan_thread *thread,
                     struct rsan_location *location, const struct rsan_access *access,
                     struct rsan_violation *violation) {
  if (location->withdrawn)
    return false;
  if (engine->seqcst.exact)
    rsan_seqcst_begin(engine, thread, access);
  if (thread->explicit_clocks)
    rsan_catch_up(thread, location);
  rsan_prepare(thread, location, access);
  uint64_t known = 0;
  bool violates = rsan_check(engine, thread, location, access, &known, violation);
  count_violation(thread, violates);
  return violates;
}

bool rsan_atomic_access(struct rsan_engine *engine, struct rsan_thread *thread,
                        struct rsan_location *location, const struct rsan_access *access,
                        struct rsan_violation *violation) {
  if (engine->machines)
    return rsan_machines_access(engine, thread, location, access, violation);
  return rsan_access_c11(engine, thread, location, access, violation);
}

bool rsan_arrive_blocked(struct rsan_engine *engine, struct rsan_thread *thread,
                         struct rsan_location *location, const struct rsan_access *access,
                         struct rsan_violation *violation) {
  if (engine->machines)
    return rsan_machines_arrive(engine, thread, location, access, violation);
  return rsan_arrive_c11(engine, thread, location, access, violation);
}

void rsan_unchecked_access(struct rsan_engine *engine, struct rsan_thread *thread,
                           struct rsan_location *location, const struct rsan_access *access) {
  rsan_seqcst_begin(engine, thread, access);
  if (location->withdrawn) {
    access_withdrawn(engine, thread);
    return;
  }
  settle(thread, location, access);
  restart(engine, location, access->kind == RSAN_READ ? access->seen : access->written,
          thread->log);
  rsan_hb_rmw(&thread->hb, &location->hb_w, RSAN_ACQ_REL);
  location->w_taken = true;
  if (thread->machines)
    rsan_machines_unchecked(thread, location);
  if (thread->explicit_clocks)
    rsan_explicit_pass(thread->explicit_clocks, location->more->explicit_clocks);
  rsan_seqcst_pass(engine, thread, location);
}

void rsan_acquire_location(struct rsan_engine *engine, struct rsan_thread *thread,
                           struct rsan_location *location) {
  if (location->withdrawn) {
    access_withdrawn(engine, thread);
    return;
  }
  rsan_streak_end(location);
  location->w_taken |= location->hb_w.thread != thread->hb.index;
  rsan_hb_stir(&thread->hb);
  if (engine->options.clocks == RSAN_CLOCKS_COMPACT) // as the explicit clocks have it: W(x)(x)
    rsan_records_add(&location->compact.records, thread->hb.index, rsan_hb_epoch(&thread->hb),
                     location->history.newest);
  rsan_hb_read(&thread->hb, &location->hb_w, RSAN_ACQUIRE);
  if (thread->machines)
    rsan_machines_take_location(thread, location);
  rsan_seqcst_acquire_location(thread, location);
  if (!thread->explicit_clocks)
    return;
  for (unsigned family = 0; family < RSAN_FAMILIES; family++) {
    rsan_clock_join(&thread->explicit_clocks->c[family],
                    &location->more->explicit_clocks->w[family]);
    rsan_clock_join(&thread->explicit_clocks->a[family],
                    &location->more->explicit_clocks->w[family]);
  }
}

void rsan_location_withdraw(struct rsan_engine *engine, struct rsan_location *location,
                            uint32_t size) {
  if (location->size < size)
    location->size = size;
  if (location->withdrawn)
    return;
  RSAN_COUNT(&engine->counters, mixed_locations);
  rsan_lock(&engine->withdrawn_lock);
  rsan_stamp_merge(&engine->withdrawn->c, &location->hb_w);
  if (location->more->explicit_clocks)
    for (unsigned family = 0; family < RSAN_FAMILIES; family++)
      rsan_clock_join(&engine->withdrawn->explicit_clocks->c[family],
                      &location->more->explicit_clocks->w[family]);
  if (location->more->machines)
    rsan_machines_withdraw(engine, location);
  rsan_seqcst_withdraw(engine, location);
  rsan_unlock(&engine->withdrawn_lock);
  restart(engine, location, (struct rsan_value){0, 0}, 0);
  location->withdrawn = true;
}
