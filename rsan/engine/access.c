// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomic accesses. The order of steps is docs/internals/ALGORITHM.md section 2's 'access'; what a
// seq_cst access is besides is in engine/fence.h and steps/seqcst.h.

#include "../engine.h"

#include "../fast/again.h"
#include "../fast/alone.h"
#include "../host.h"
#include "../machines/machines.h"
#include "../steps/cxx20.h"
#include "../steps/note.h"
#include "../steps/reference.h"
#include "../steps/seqcst.h"
#include "../steps/types.h"
#include "../weak/weak.h"
#include "check.h"
#include "fence.h"
#include "mixed.h"
#include "unseen.h"
#include "update.h"

// Takes version 0 from memory: at the first access, and where memory has a value that the
// newest version did not leave (atomic_init, a plain store, code that is not analysed). No report
// can rest on what was before it.
__attribute__((noinline)) static void begin_anew(struct rsan_thread *thread,
                                                 struct rsan_location *location,
                                                 const struct rsan_access *access) {
  bool first = !location->started;
  RSAN_COUNT_OWN(&thread->counters, foreign_writes, !first);
  rsan_location_restart(thread->engine, location, access->seen, thread->log);
  rsan_unseen_find(thread, location, rsan_host_who_wrote(access, first));
}

static void settle(struct rsan_thread *thread, struct rsan_location *location,
                   const struct rsan_access *access) {
  if (!location->started || !rsan_value_equal(location->history.value, access->seen))
    begin_anew(thread, location, access);
}

// Cuts a location's history to half of its share of the budget.
static void cut(struct rsan_engine *engine, struct rsan_location *location, uint32_t share) {
  rsan_budget_cut(share, &location->history, &location->compact.records, &engine->counters);
  rsan_seqcst_collect(engine, location);
  location->collect_at = share + rsan_seqcst_entries(location);
}

// Holds a location to its share of the budget after a collection, which has left half of `entries`.
static RSAN_SELDOM void limit(struct rsan_engine *engine, struct rsan_location *location,
                              uint32_t entries, uint32_t share) {
  if (entries > share)
    cut(engine, location, share);
  else
    location->collect_at = share;
}

// Shrinks the arrays of a location, which have grown while it was busy, to what it can fill before
// its next collection.
static RSAN_SELDOM void fit(struct rsan_location *location) {
  rsan_history_fit(&location->history, location->collect_at);
  rsan_records_fit(&location->compact.records, location->collect_at);
}

// Fills both arrays before the next collection, if they have room for more than `entries` and are
// not large: they would not shrink.
static uint32_t use_room(uint32_t entries, uint32_t room) {
  uint32_t fill = 2 * (room < RSAN_COLLECT_FULL_ROOM ? room : RSAN_COLLECT_FULL_ROOM);
  return entries < fill ? fill : entries;
}

static inline __attribute__((always_inline)) void collect(struct rsan_engine *engine,
                                                          struct rsan_location *location) {
  struct rsan_history *history = &location->history;
  struct rsan_records *records = &location->compact.records;
  uint32_t entries = history->count + records->count + rsan_seqcst_entries(location);
  if (engine->machines && engine->options.history == RSAN_HISTORY_EXACT)
    return; // a machine may not know what all know in C11
  if (!location->large)
    atomic_fetch_add_explicit(&engine->budget.large, 1, memory_order_relaxed);
  location->large = true;
  uint32_t share = rsan_budget_share(&engine->budget);
  if (share < 2 * RSAN_COLLECT_MIN_ENTRIES) {
    cut(engine, location, share); // a collection would find little to choose from
    return;
  }
  if (entries < RSAN_COLLECT_MIN_ENTRIES) {
    location->collect_at = RSAN_COLLECT_MIN_ENTRIES;
    return;
  }
  uint64_t most = rsan_cxx20_is_on(engine) ? rsan_cxx20_forget(engine, location) : UINT64_MAX;
  if (!rsan_collect(history, records, &engine->views,
                    engine->options.history == RSAN_HISTORY_BOUNDED,
                    entries >= RSAN_COLLECT_WAIT_ENTRIES, most, &engine->counters)) {
    location->collect_at = entries + RSAN_COLLECT_MIN_ENTRIES / 2;
    return;
  }
  uint32_t number = (uint32_t)RSAN_COUNT(&engine->counters, collections) + RSAN_COLLECT_BUSY_SPAN;
  uint32_t since = number - location->collected; // collections of all
  location->collected = number;
  rsan_seqcst_collect(engine, location);
  entries = 2 * (history->count + records->count + rsan_seqcst_entries(location));
  uint32_t least =
      RSAN_COLLECT_MIN_ENTRIES * (since < RSAN_COLLECT_BUSY_SPAN ? RSAN_COLLECT_BUSY_FACTOR : 1);
  entries = use_room(entries, history->room < records->room ? history->room : records->room);
  location->collect_at = entries > least ? entries : least;
  if (location->collect_at > share)
    limit(engine, location, entries, share);
  bool half_empty =
      history->room / 2 >= location->collect_at || records->room / 2 >= location->collect_at;
  if (since >= RSAN_COLLECT_QUIET_SPAN && half_empty)
    fit(location);
}

// Notes that the thread, which knew version `known`, has read or written the newest one.
static void remember(struct rsan_thread *thread, struct rsan_location *location,
                     const struct rsan_access *access, uint64_t sc_index, uint64_t known) {
  struct rsan_history *history = &location->history;
  struct rsan_records *records = &location->compact.records;
  bool compact = thread->engine->options.clocks == RSAN_CLOCKS_COMPACT;
  uint64_t epoch = rsan_hb_epoch(&thread->hb);
  if (known == history->newest && access->kind == RSAN_READ)
    return;
  rsan_fast_acts(&thread->hb.fast);
  if (rsan_hides_last_epoch(thread, location, access))
    rsan_records_advance(records, thread->hb.index, epoch - 1);
  enum rsan_fold fold = RSAN_FOLDS_NOTHING;
  if (access->kind != RSAN_READ) {
    uint64_t below = compact && thread->engine->options.history == RSAN_HISTORY_BOUNDED
                         ? rsan_records_known_below(records, thread->hb.index, epoch)
                         : UINT64_MAX;
    // If another thread has the newest record, no version can be folded, and none is looked at.
    if (below != UINT64_MAX)
      fold = rsan_history_fold(history, rsan_seqcst_known_below(location, below));
    RSAN_COUNT_OWN(&thread->counters, folded_versions, fold != RSAN_FOLDS_NOTHING);
    rsan_history_append(history, access, thread->hb.index, thread->owner, sc_index);
  }
  if (!compact || known == history->newest)
    return;
  rsan_records_add(records, thread->hb.index, epoch, history->newest);
  if (history->count + records->count + rsan_seqcst_entries(location) >= location->collect_at)
    collect(thread->engine, location); // which may leave nothing to repeat
  else
    rsan_fast_may_repeat(&location->write, &thread->writer, access->order,
                         access->kind == RSAN_WRITE,
                         fold == RSAN_FOLDS_ALL ||
                             (fold == RSAN_FOLDS_READ_MODIFY_WRITES && access->kind == RSAN_RMW));
}

// Updates the analyses that have no fast answers: reference clocks and C++20's fences, if on.
static RSAN_SELDOM void update_beside(struct rsan_thread *thread, struct rsan_location *location,
                                      const struct rsan_access *access, enum rsan_order order) {
  if (thread->reference)
    rsan_reference_update(thread, location, access, order);
  if (rsan_cxx20_is_on(thread->engine))
    rsan_cxx20_update(thread, location, access);
}

static void update(struct rsan_thread *thread, struct rsan_location *location,
                   const struct rsan_access *access, enum rsan_order order, uint64_t known,
                   bool beside) {
  uint64_t sc_index = rsan_compact_update(&thread->sc, &location->compact, access);
  if (beside)
    update_beside(thread, location, access, order);
  rsan_seqcst_advance(thread, location, access);
  remember(thread, location, access, sc_index, known);
  rsan_seqcst_update(thread, location, access);
  rsan_update_hb(thread, location, access, order);
}

// The worst-case effect of an unknown access.
static void pass(struct rsan_thread *thread, struct rsan_location *location) {
  rsan_hb_rmw(&thread->hb, &location->hb_w, RSAN_ACQ_REL);
  rsan_fast_w_read(&location->w, true);
  if (thread->machines)
    rsan_fast_view_changed(
        &thread->sc.fast,
        rsan_machines_pass(thread->machines, location->more->machines, ++thread->sc.vs.index));
  if (thread->reference)
    rsan_reference_pass(thread, location);
  if (rsan_cxx20_is_on(thread->engine))
    rsan_cxx20_pass_access(thread, location);
  rsan_seqcst_pass(thread, location);
}

// All withdrawn locations are one, of which nothing is ever forgotten.
static void access_withdrawn(struct rsan_thread *thread) {
  rsan_lock(&thread->engine->withdrawn_lock);
  pass(thread, thread->engine->withdrawn);
  rsan_unlock(&thread->engine->withdrawn_lock);
}

// What a check finds at the location: version 0, writes that were not analysed, conditions.
static void prepare(struct rsan_thread *thread, struct rsan_location *location,
                    const struct rsan_access *access) {
  rsan_fast_forget(&location->write);
  settle(thread, location, access);
  if (rsan_asks_of_value(access->check))
    rsan_history_add_critical(&location->history, &access->expected);
}

// From the first departure on no violation is looked for, here and below.
static bool judges_by_cxx20(const struct rsan_engine *engine) {
  return rsan_cxx20_is_on(engine) && !rsan_weak_departed(engine);
}

static RSAN_SELDOM void judge_beside(struct rsan_thread *thread,
                                     const struct rsan_location *location,
                                     const struct rsan_access *access) {
  if (judges_by_cxx20(thread->engine))
    rsan_cxx20_judge(thread, location, access);
}

// The check, after what it needs. Fills in T_c, if it matters. `beside`: the thread's in_full.
static bool judge(struct rsan_thread *thread, struct rsan_location *location,
                  const struct rsan_access *access, uint64_t *known,
                  struct rsan_violation *violation, bool beside) {
  prepare(thread, location, access);
  bool violates = rsan_check(thread, location, access, known, violation);
  if (beside && !violates)
    judge_beside(thread, location, access);
  if (violates && !thread->machines) // else they decide
    RSAN_COUNT_OWN(&thread->counters, violations, 1);
  return violates;
}

// An access of a location that has several sizes.
static RSAN_SELDOM bool access_mixed(struct rsan_thread *thread, struct rsan_location *location,
                                     const struct rsan_access *access,
                                     struct rsan_violation *violation) {
  struct rsan_location *whole = location->mixed->whole;
  bool violates = rsan_mixed_access(thread, location, access, violation);
  // For a proof, what is known of some bytes may not be forgotten of others.
  if (!rsan_cxx20_is_on(thread->engine) &&
      whole->history.count + whole->compact.records.count + rsan_seqcst_entries(whole) >=
          whole->collect_at)
    collect(thread->engine, whole);
  return violates;
}

// An access of which nothing is known. `beside` is a constant, so that the access of a thread whose
// accesses have no more to do pays nothing for those that have.
static inline __attribute__((always_inline)) bool
access_anew(struct rsan_thread *thread, struct rsan_location *location,
            const struct rsan_access *access, struct rsan_violation *violation, bool beside) {
  rsan_begin_access(thread, access);
  if (location->withdrawn) {
    if (location->mixes)
      return access_mixed(thread, location, access, violation);
    RSAN_COUNT_OWN(&thread->counters, mixed_accesses, 1);
    access_withdrawn(thread);
    return false;
  }
  uint64_t known = 0;
  bool violates = judge(thread, location, access, &known, violation, beside);
  update(thread, location, access, rsan_order_without_fence(access), known, beside);
  rsan_note_access(thread, location, access);
  return violates;
}

__attribute__((noinline)) static bool access_within(struct rsan_thread *thread,
                                                    struct rsan_location *location,
                                                    const struct rsan_access *access,
                                                    struct rsan_violation *violation) {
  return access_anew(thread, location, access, violation, false);
}

__attribute__((noinline)) static bool access_in_full(struct rsan_thread *thread,
                                                     struct rsan_location *location,
                                                     const struct rsan_access *access,
                                                     struct rsan_violation *violation) {
  return access_anew(thread, location, access, violation, true);
}

// In VERIFY builds, which keep both kinds of clocks: what would have been found in one go?
__attribute__((noinline)) static bool access_and_compare(struct rsan_thread *thread,
                                                         struct rsan_location *location,
                                                         const struct rsan_access *access,
                                                         struct rsan_violation *violation) {
  struct rsan_again_state before;
  rsan_catch_up(thread, location);
  bool again = thread->engine->options.clocks == RSAN_CLOCKS_COMPACT &&
               !rsan_cxx20_is_on(thread->engine) && // which makes each access in full
               rsan_again_applies(thread, location, access, &before);
  bool violates = access_in_full(thread, location, access, violation);
  if (again)
    rsan_again_compare(thread, location, access, &before);
  return violates;
}

// An access that does not depart, where accesses may. Only a read may take its fast answer: it then
// knows the newest version, so there is none to depart to.
static bool access_weak(struct rsan_thread *thread, struct rsan_location *location,
                        const struct rsan_access *access, struct rsan_violation *violation) {
  rsan_weak_begin(thread->engine, location);
  bool reads = access->kind == RSAN_READ;
  if (reads && !rsan_cxx20_is_on(thread->engine) && rsan_access_again(thread, location, access))
    return false;
  if (reads || location->withdrawn)
    return access_in_full(thread, location, access, violation);
  rsan_begin_access(thread, access);
  prepare(thread, location, access);
  rsan_weak_keep(location);
  bool violates = access_in_full(thread, location, access, violation);
  rsan_weak_append(location);
  return violates;
}

// Accesses that have more to do than the fast answers know of.
__attribute__((noinline)) static bool access_beyond(struct rsan_thread *thread,
                                                    struct rsan_location *location,
                                                    const struct rsan_access *access,
                                                    struct rsan_violation *violation) {
  if (thread->engine->weak)
    return access_weak(thread, location, access, violation);
  return thread->reference ? access_and_compare(thread, location, access, violation)
                           : access_in_full(thread, location, access, violation);
}

// `machines`: a constant, whether the access is one of many steps, or the only one.
static inline __attribute__((always_inline)) bool
access_c11(struct rsan_thread *thread, struct rsan_location *location,
           const struct rsan_access *access, struct rsan_violation *violation, bool machines) {
  if (thread->in_full)
    return access_beyond(thread, location, access, violation);
  if (rsan_access_again(thread, location, access))
    return false;
  if (!machines && rsan_access_alone(thread, location, access))
    return false;
  return machines ? access_within(thread, location, access, violation)
                  : access_anew(thread, location, access, violation, false);
}

static bool arrive_c11(struct rsan_thread *thread, struct rsan_location *location,
                       const struct rsan_access *access, struct rsan_violation *violation) {
  if (location->withdrawn && !location->mixes) {
    RSAN_COUNT_OWN(&thread->counters, mixed_accesses, 1);
    return false;
  }
  if (thread->engine->seqcst.exact)
    rsan_begin_access(thread, access);
  if (location->mixes)
    return rsan_mixed_arrive(thread, location, access, violation);
  if (thread->reference)
    rsan_catch_up(thread, location);
  uint64_t known = 0;
  return judge(thread, location, access, &known, violation, thread->in_full);
}

// Prepares for the access, and asks the machines: which of them show a violation? Fills in the
// witness of the first one's.
static uint32_t ask_machines(struct rsan_thread *thread, struct rsan_location *location,
                             const struct rsan_access *access, struct rsan_violation *witness) {
  const struct rsan_machines_location *there = location->more->machines;
  const struct rsan_machines_sight sight = {&thread->sc, &location->history,
                                            &thread->engine->indices};
  struct rsan_verdict verdict;
  prepare(thread, location, access);
  uint32_t shown = rsan_machines_check(thread->machines, there, &sight, access, &verdict);
  if (!shown)
    return 0;
  *witness = rsan_witness(thread, location, access, verdict);
  return shown;
}

// Is it reported? An access that a machine shows is one that C11 allows to go wrong, too: mappings
// of C11's atomics are sound. C11's witness, if there is one, is what is told.
static bool conclude(struct rsan_engine *engine, bool c11, uint32_t machines,
                     const struct rsan_violation *witness, struct rsan_violation *violation) {
  uint32_t shown = machines | RSAN_TARGET_C11;
  uint32_t asked = engine->options.targets;
  if (!(shown & asked))
    return false;
  if (!c11 || !(asked & RSAN_TARGET_C11))
    *violation = *witness;
  violation->shown = (uint8_t)shown;
  RSAN_COUNT(&engine->counters, violations);
  return true;
}

// With machines: C11's part, and what the machines say, which decides whether it is reported. An
// arrival that blocks (not `goes_on`) is only checked.
__attribute__((noinline)) static bool access_with_machines(struct rsan_thread *thread,
                                                           struct rsan_location *location,
                                                           const struct rsan_access *access,
                                                           bool goes_on,
                                                           struct rsan_violation *violation) {
  struct rsan_machines_location *there = location->more->machines;
  struct rsan_violation witness;
  uint32_t machines = 0;
  if (rsan_unseen_outdates(thread->engine, location))
    rsan_catch_up(thread, location);
  // Where the thread's last access was of the newest version nothing can be missed, and what
  // may be repeated there is not to be forgotten.
  bool misses_nothing = location->started &&
                        rsan_value_equal(location->history.value, access->seen) &&
                        rsan_machines_had(thread->machines, there, location->history.newest);
  if (!misses_nothing && !location->withdrawn)
    machines = ask_machines(thread, location, access, &witness);
  bool c11 = goes_on ? access_c11(thread, location, access, violation, true)
                     : arrive_c11(thread, location, access, violation);
  if (location->withdrawn)
    return false;
  if (goes_on)
    rsan_fast_view_changed(&thread->sc.fast,
                           rsan_machines_update(thread->machines, there, access,
                                                location->history.newest, thread->sc.vs.index));
  return (c11 || machines) && conclude(thread->engine, c11, machines, &witness, violation);
}

bool rsan_atomic_access(struct rsan_thread *thread, struct rsan_location *location,
                        const struct rsan_access *access, struct rsan_violation *violation) {
  if (thread->machines)
    return access_with_machines(thread, location, access, true, violation);
  return access_c11(thread, location, access, violation, false);
}

bool rsan_arrive_blocked(struct rsan_thread *thread, struct rsan_location *location,
                         const struct rsan_access *access, struct rsan_violation *violation) {
  if (thread->machines)
    return access_with_machines(thread, location, access, false, violation);
  return arrive_c11(thread, location, access, violation);
}

bool rsan_wait_has_older(struct rsan_thread *thread, struct rsan_location *location,
                         const struct rsan_access *access) {
  struct rsan_access other = *access;
  uint64_t known;
  struct rsan_violation violation;
  bool kernel = access->check == RSAN_CHECK_KERNEL_COMPARE;
  bool alone = access->check == RSAN_CHECK_WAIT && access->expected.alone;
  if ((!kernel && !alone) || location->withdrawn)
    return false;
  rsan_begin_access(thread, access);
  prepare(thread, location, access);
  other.expected.alone = false;
  if (kernel)
    other.check = RSAN_CHECK_READ;
  if (rsan_check(thread, location, &other, &known, &violation))
    return !rsan_check(thread, location, access, &known, &violation);
  if (thread->in_full && judges_by_cxx20(thread->engine))
    rsan_cxx20_judge(thread, location, &other);
  return false;
}

bool rsan_location_is_written(const struct rsan_location *location) {
  return location->history.newest != 0;
}

struct rsan_version_name rsan_weak_newest(const struct rsan_location *location) {
  return (struct rsan_version_name){location->more->weak->restarts, location->history.newest};
}

bool rsan_weak_prepare(struct rsan_thread *thread, struct rsan_location *location,
                       const struct rsan_access *access) {
  if (!thread->engine->weak || location->withdrawn)
    return false;
  rsan_begin_access(thread, access);
  prepare(thread, location, access);
  return true;
}

uint32_t rsan_weak_candidates(struct rsan_thread *thread, struct rsan_location *location,
                              const struct rsan_access *access,
                              struct rsan_candidate candidates[RSAN_CANDIDATES]) {
  if (!rsan_weak_prepare(thread, location, access))
    return 0;
  return rsan_weak_find(thread, location, access, candidates);
}

uint32_t rsan_weak_look(const struct rsan_thread *thread, const struct rsan_location *location,
                        const struct rsan_access *access,
                        struct rsan_candidate candidates[RSAN_CANDIDATES]) {
  bool is_known = thread->engine->weak && !location->withdrawn && location->started &&
                  rsan_value_equal(location->history.value, access->seen);
  return is_known ? rsan_weak_find(thread, location, access, candidates) : 0;
}

bool rsan_weak_depart(struct rsan_thread *thread, struct rsan_location *location,
                      const struct rsan_access *access, const struct rsan_candidate *chosen,
                      struct rsan_violation *violation) {
  bool violates = rsan_arrive_blocked(thread, location, access, violation);
  rsan_weak_begin(thread->engine, location);
  rsan_weak_make(thread, location, access, chosen);
  return violates;
}

// Makes an access that is not judged, up to its step of happens-before. Returns false if it is
// complete.
static bool begin_unjudged(struct rsan_thread *thread, struct rsan_location *location,
                           const struct rsan_access *access) {
  rsan_begin_access(thread, access);
  if (location->withdrawn) {
    if (location->mixes)
      rsan_mixed_unchecked(thread, location, access);
    else
      access_withdrawn(thread);
    return false;
  }
  settle(thread, location, access);
  rsan_location_restart(thread->engine, location,
                        access->kind == RSAN_READ ? access->seen : access->written, thread->log);
  return true;
}

void rsan_unchecked_access(struct rsan_thread *thread, struct rsan_location *location,
                           const struct rsan_access *access) {
  if (begin_unjudged(thread, location, access))
    pass(thread, location);
}

// Clocks beside the compact ones have no such access, and get the worst case.
void rsan_primitive_access(struct rsan_thread *thread, struct rsan_location *location,
                           const struct rsan_access *access) {
  if (!begin_unjudged(thread, location, access))
    return;
  if (thread->in_full || thread->machines) {
    pass(thread, location);
    return;
  }
  rsan_fast_acts(&thread->hb.fast);
  rsan_seqcst_pass(thread, location);
  rsan_update_hb(thread, location, access, rsan_order_without_fence(access));
}

void rsan_acquire_location(struct rsan_thread *thread, struct rsan_location *location) {
  if (location->withdrawn && !location->mixes)
    access_withdrawn(thread);
  if (location->mixes) {
    RSAN_COUNT_OWN(&thread->counters, mixed_accesses, rsan_cxx20_is_on(thread->engine));
    location = location->mixed->whole;
  } else if (location->withdrawn)
    return;
  rsan_fast_forget(&location->write);
  rsan_fast_w_read(&location->w, location->hb_w.thread != thread->hb.index);
  rsan_fast_acts(&thread->hb.fast);
  if (thread->engine->options.clocks == RSAN_CLOCKS_COMPACT) // as the paper has it: W(x)(x)
    rsan_records_add(&location->compact.records, thread->hb.index, rsan_hb_epoch(&thread->hb),
                     location->history.newest);
  rsan_hb_read(&thread->hb, &location->hb_w, RSAN_ACQUIRE);
  if (thread->machines)
    rsan_fast_view_changed(&thread->sc.fast, rsan_machines_acquire_location(
                                                 thread->machines, location->more->machines));
  rsan_seqcst_acquire_location(thread, location);
  if (thread->reference)
    rsan_reference_acquire_location(thread, location);
  if (rsan_cxx20_is_on(thread->engine))
    rsan_cxx20_acquire_location(thread, location);
}
