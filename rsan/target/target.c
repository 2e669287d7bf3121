// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An access with targets: classification, thresholds, and whose violation it is.

#include "target.h"

#include "../engine_types.h"
#include "../host.h"
#include "../streak.h"

static uint64_t last_access(const struct rsan_coherence *coherence, uint32_t thread) {
  return thread < coherence->count ? coherence->at[thread] : 0;
}

static void note_last_access(struct rsan_coherence *coherence, uint32_t thread, uint64_t version) {
  if (thread >= coherence->count && version) {
    uint32_t count = coherence->count ? coherence->count : RSAN_CLOCK_MIN_ENTRIES;
    while (count <= thread)
      count *= 2;
    uint64_t *grown = rsan_host_alloc(count * sizeof *grown);
    for (uint32_t i = 0; i < count; i++)
      grown[i] = i < coherence->count ? coherence->at[i] : 0;
    rsan_host_free(coherence->at);
    coherence->at = grown;
    coherence->count = count;
  }
  if (thread < coherence->count)
    coherence->at[thread] = version;
}

static bool is_compare_exchange(const struct rsan_access *access) {
  return access->check == RSAN_CHECK_STRONG_CAS || access->check == RSAN_CHECK_BCAS || access->weak;
}

static enum rsan_tso_class tso_class(const struct rsan_access *access) {
  if (access->kind == RSAN_WRITE)
    return access->order == RSAN_SEQ_CST ? RSAN_TSO_FENCED_STORE : RSAN_TSO_STORE;
  if (access->kind == RSAN_RMW)
    return RSAN_TSO_LOCKED;
  return is_compare_exchange(access) ? RSAN_TSO_LOCKED_READ : RSAN_TSO_LOAD;
}

static uint64_t larger(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

// The version that the access may miss on x86, and K. x86's compare-exchange never fails without a
// reason, so a weak one is a strong one.
static const struct rsan_version *check_tso(const struct rsan_engine *engine,
                                            const struct rsan_thread *thread,
                                            const struct rsan_location *location,
                                            const struct rsan_access *access, uint64_t *known) {
  const struct rsan_history *history = &location->history;
  *known = last_access(&location->target->coherence, thread->hb.index);
  if (*known != history->newest)
    *known = larger(*known, rsan_tso_known(&thread->target->tso, history, tso_class(access)));
  if (*known == history->newest)
    return 0;
  if (!access->weak)
    return rsan_compact_check(&thread->sc, history, &engine->indices, access, *known);
  struct rsan_access strong = *access;
  strong.check = RSAN_CHECK_STRONG_CAS;
  return rsan_compact_check(&thread->sc, history, &engine->indices, &strong, *known);
}

// What the targets say of an access that is about to be made. Returns whose violation it is, and
// fills in a witness of the first one's.
static uint32_t check_targets(struct rsan_engine *engine, const struct rsan_thread *thread,
                              const struct rsan_location *location,
                              const struct rsan_access *access, struct rsan_violation *witness) {
  uint64_t known;
  const struct rsan_version *missed = check_tso(engine, thread, location, access, &known);
  if (!missed)
    return 0;
  *witness = rsan_history_witness(missed, access, known);
  witness->object = location->object;
  witness->position = rsan_log_head(thread->log);
  return RSAN_TARGET_X86;
}

// Is it reported? C11's witness, if there is one, is what is told.
static bool conclude_targets(struct rsan_engine *engine, bool c11, uint32_t machines,
                             const struct rsan_violation *witness,
                             struct rsan_violation *violation) {
  uint32_t shown = machines | (c11 || machines ? RSAN_TARGET_C11 : 0);
  uint32_t asked = engine->targets->asked;
  if (!(shown & asked))
    return false;
  if (!c11 || !(asked & RSAN_TARGET_C11))
    *violation = *witness;
  violation->shown = (uint8_t)shown;
  RSAN_COUNT(&engine->counters, violations);
  return true;
}

bool rsan_target_access(struct rsan_engine *engine, struct rsan_thread *thread,
                        struct rsan_location *location, const struct rsan_access *access,
                        struct rsan_violation *violation) {
  uint32_t machines = 0;
  struct rsan_violation witness;
  // Who continues a streak (streak.h) knows the newest version: nothing can be missed.
  if (!location->withdrawn && !rsan_streak_takes(thread, location, access)) {
    rsan_prepare(engine, location, access);
    machines = check_targets(engine, thread, location, access, &witness);
  }
  bool c11 = rsan_access_c11(engine, thread, location, access, violation);
  if (location->withdrawn)
    return false;
  note_last_access(&location->target->coherence, thread->hb.index, location->history.newest);
  // A write's version has the index that its thread has now.
  if (rsan_tso_access(&thread->target->tso, &location->target->tso, tso_class(access),
                      thread->sc.vs.index))
    thread->sc.moves++; // a load that is repeated now is news to the next write
  return conclude_targets(engine, c11, machines, &witness, violation);
}

bool rsan_target_arrive(struct rsan_engine *engine, struct rsan_thread *thread,
                        struct rsan_location *location, const struct rsan_access *access,
                        struct rsan_violation *violation) {
  if (location->withdrawn)
    return false;
  struct rsan_violation witness;
  rsan_prepare(engine, location, access);
  uint32_t machines = check_targets(engine, thread, location, access, &witness);
  bool c11 = rsan_arrive_c11(engine, thread, location, access, violation);
  return conclude_targets(engine, c11, machines, &witness, violation);
}
