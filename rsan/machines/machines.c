// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An access with machines: classification, thresholds, and whose violation it is.

#include "machines.h"

#include "../engine_types.h"
#include "../engine_unseen.h"
#include "../host.h"

enum { ORDERS = RSAN_SEQ_CST + 1 };

static struct rsan_last_access last_access(const struct rsan_coherence *coherence,
                                           uint32_t thread) {
  return thread < coherence->count ? coherence->at[thread] : (struct rsan_last_access){0};
}

static void note_last_access(struct rsan_machines_location *location, uint32_t thread,
                             struct rsan_last_access last) {
  struct rsan_coherence *coherence = &location->coherence;
  if (thread >= coherence->count && last.version) {
    uint32_t count = coherence->count ? coherence->count : RSAN_CLOCK_MIN_ENTRIES;
    while (count <= thread)
      count *= 2;
    struct rsan_last_access *grown = rsan_host_alloc(count * sizeof *grown);
    for (uint32_t i = 0; i < count; i++)
      grown[i] = last_access(coherence, i);
    if (coherence->at != rsan_machines_first_place(location))
      rsan_host_free(coherence->at);
    coherence->at = grown;
    coherence->count = count;
  }
  if (thread < coherence->count)
    coherence->at[thread] = last;
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

// Whatever the machine, an access misses nothing if the first version after the thread's last
// access is not before it in every SC run: then no later one is, either. (Under a floor a later one
// may be.)
static bool may_miss(const struct rsan_engine *engine, const struct rsan_thread *thread,
                     const struct rsan_location *location, uint64_t coherent) {
  if (coherent == location->history.newest)
    return false;
  const struct rsan_version *next = rsan_history_after(&location->history, coherent);
  return next && (engine->indices.taken_by_force ||
                  rsan_stamp_get(&thread->sc.vs, next->writer) >= next->sc_index);
}

// The version that the access may miss on x86, and K. x86's compare-exchange never fails without a
// reason, so a weak one is a strong one.
static const struct rsan_version *check_tso(const struct rsan_engine *engine,
                                            const struct rsan_thread *thread,
                                            const struct rsan_location *location,
                                            const struct rsan_access *access, uint64_t coherent,
                                            uint64_t *known) {
  const struct rsan_history *history = &location->history;
  *known = rsan_tso_known(&thread->machines->tso, history, tso_class(access), coherent);
  if (*known == history->newest)
    return 0;
  if (!access->weak)
    return rsan_compact_check(&thread->sc, history, &engine->indices, access, *known);
  struct rsan_access strong = *access;
  strong.check = RSAN_CHECK_STRONG_CAS;
  return rsan_compact_check(&thread->sc, history, &engine->indices, &strong, *known);
}

static bool arm_is_rcsc(const struct rsan_machines *machines, bool plain_load,
                        enum rsan_order order) {
  bool ldar = order == RSAN_SEQ_CST || (machines->asked & RSAN_TARGET_ARM_LDAR);
  return rsan_order_acquires(order) && (!plain_load || ldar);
}

static struct rsan_arm_access arm_access(const struct rsan_machines *machines, unsigned which,
                                         bool reads, bool writes, bool plain_load,
                                         enum rsan_order order) {
  bool acquires = reads && rsan_order_acquires(order), releases = rsan_order_releases(order);
  bool lse = machines->asked & RSAN_TARGET_ARM_LSE;
  return (struct rsan_arm_access){
      .reads = reads,
      .writes = writes,
      .acquires = acquires || (reads && which == RSAN_ARM_DEFINITE),
      .rcsc = reads && arm_is_rcsc(machines, plain_load, order),
      .releases = writes && releases,
      .barrier = lse && reads && writes && acquires && releases,
  };
}

static uint64_t known_by_arm(const struct rsan_thread *thread, const struct rsan_location *location,
                             unsigned which, const struct rsan_arm_access *access,
                             uint64_t coherent) {
  return rsan_arm_known(&thread->machines->arm[which], &location->more->machines->arm[which],
                        access, coherent);
}

// The version that a compare-exchange may miss if it fails, or if it succeeds. By exclusives a weak
// one may fail for no reason.
static const struct rsan_version *
check_arm_exchange(const struct rsan_engine *engine, const struct rsan_thread *thread,
                   const struct rsan_location *location, const struct rsan_access *access,
                   unsigned which, uint64_t coherent, uint64_t *known) {
  const struct rsan_machines *machines = engine->machines;
  bool at_will = access->weak && !(machines->asked & RSAN_TARGET_ARM_LSE);
  struct rsan_access branch = *access;
  struct rsan_arm_access arm = arm_access(machines, which, true, false, false, access->failure);
  branch.check = at_will ? RSAN_CHECK_READ : RSAN_CHECK_WAIT;
  branch.expected.relation = RSAN_NOT_EQUAL;
  branch.expected.alone = false;
  *known = known_by_arm(thread, location, which, &arm, coherent);
  const struct rsan_version *missed =
      rsan_compact_check(&thread->sc, &location->history, &engine->indices, &branch, *known);
  if (missed)
    return missed;
  arm = arm_access(machines, which, true, true, false, access->success);
  branch.check = RSAN_CHECK_BCAS;
  branch.expected = access->expected;
  *known = known_by_arm(thread, location, which, &arm, coherent);
  return rsan_compact_check(&thread->sc, &location->history, &engine->indices, &branch, *known);
}

static const struct rsan_version *check_arm(const struct rsan_engine *engine,
                                            const struct rsan_thread *thread,
                                            const struct rsan_location *location,
                                            const struct rsan_access *access, unsigned which,
                                            uint64_t coherent, uint64_t *known) {
  if (access->check == RSAN_CHECK_STRONG_CAS || access->weak)
    return check_arm_exchange(engine, thread, location, access, which, coherent, known);
  bool blocking = access->check == RSAN_CHECK_BCAS;
  bool writes = access->kind != RSAN_READ || blocking, reads = access->kind != RSAN_WRITE;
  struct rsan_arm_access arm = arm_access(engine->machines, which, reads, writes, !writes,
                                          access->compares ? access->success : access->order);
  *known = known_by_arm(thread, location, which, &arm, coherent);
  return rsan_compact_check(&thread->sc, &location->history, &engine->indices, access, *known);
}

static void update_arm(struct rsan_thread *thread, struct rsan_location *location,
                       const struct rsan_access *access) {
  const struct rsan_engine *engine = thread->engine;
  uint32_t keep = engine->options.history == RSAN_HISTORY_EXACT ? 0 : RSAN_ARM_RECORDS;
  uint64_t newest = location->history.newest;
  struct rsan_arm_access arm = arm_access(
      engine->machines, RSAN_ARM_MAY, access->kind != RSAN_WRITE, access->kind != RSAN_READ,
      access->kind == RSAN_READ && !is_compare_exchange(access), access->order);
  struct rsan_arm_thread *threads = thread->machines->arm;
  struct rsan_arm_location *locations = location->more->machines->arm;
  bool moves =
      rsan_arm_update(&threads[RSAN_ARM_MAY], &locations[RSAN_ARM_MAY], &arm, newest, keep);
  arm.acquires = arm.reads;
  moves |= rsan_arm_update(&threads[RSAN_ARM_DEFINITE], &locations[RSAN_ARM_DEFINITE], &arm, newest,
                           keep);
  thread->sc.moves += moves;
}

// What the machines say of an access that is about to be made. Returns whose violation it is, and
// fills in a witness of the first one's.
static uint32_t check_machines(struct rsan_engine *engine, const struct rsan_thread *thread,
                               const struct rsan_location *location,
                               const struct rsan_access *access, uint64_t coherent,
                               struct rsan_violation *witness) {
  uint32_t asked = engine->machines->asked, shown = 0;
  if (!may_miss(engine, thread, location, coherent))
    return 0;
  uint64_t known = 0, of_witness = 0;
  const struct rsan_version *missed = 0, *first = 0;
  if (asked & RSAN_TARGET_X86)
    first = check_tso(engine, thread, location, access, coherent, &of_witness);
  if (first)
    shown = RSAN_TARGET_X86;
  for (unsigned which = 0; which < RSAN_ARM_BOTH && (asked & RSAN_TARGET_ARM); which++) {
    missed = check_arm(engine, thread, location, access, which, coherent, &known);
    if (!missed)
      break; // nor definitely
    shown |= which == RSAN_ARM_MAY ? RSAN_TARGET_ARM : RSAN_TARGET_ARM_DEFINITE;
    if (first)
      continue;
    first = missed;
    of_witness = known;
  }
  if (!first)
    return 0;
  *witness = rsan_history_witness(first, access, of_witness);
  witness->object = location->object;
  witness->position = rsan_log_head(thread->log);
  return shown;
}

// Is it reported? C11's witness, if there is one, is what is told.
static bool conclude(struct rsan_engine *engine, bool c11, uint32_t machines,
                     const struct rsan_violation *witness, struct rsan_violation *violation) {
  uint32_t shown = machines | (c11 || machines ? RSAN_TARGET_C11 : 0);
  uint32_t asked = engine->machines->asked;
  if (!(shown & asked))
    return false;
  if (!c11 || !(asked & RSAN_TARGET_C11))
    *violation = *witness;
  violation->shown = (uint8_t)shown;
  RSAN_COUNT(&engine->counters, violations);
  return true;
}

// What a load does at a location, by what its thread has of others: 0 if it is not known to be the
// same again.
static uint64_t load_of(const struct rsan_thread *thread, const struct rsan_access *access) {
  const struct rsan_machines_thread *machines = thread->machines;
  uint32_t asked = thread->engine->machines->asked;
  if (access->kind != RSAN_READ || is_compare_exchange(access) ||
      (asked & RSAN_TARGET_ARM && arm_is_rcsc(thread->engine->machines, true, access->order)))
    return 0;
  uint64_t changes = machines->tso.l_changes;
  for (unsigned which = 0; which < RSAN_ARM_BOTH; which++)
    changes += rsan_arm_changes(&machines->arm[which]);
  return changes * ORDERS + (uint64_t)access->order;
}

// Has the thread made the load already of that version, no weaker, and has it learnt nothing of
// others since? Then it is new to the next write alone, and only what the thread itself has done.
static bool repeats_load(uint64_t load, const struct rsan_last_access *last) {
  return load && load / ORDERS == last->load / ORDERS && load <= last->load;
}

static void repeat_load(struct rsan_thread *thread, struct rsan_location *location) {
  struct rsan_machines_location *machines = location->more->machines;
  uint32_t asked = thread->engine->machines->asked;
  for (unsigned which = 0; which < machines->arms; which++)
    rsan_arm_repeat(&thread->machines->arm[which], &machines->arm[which]);
  if (asked & RSAN_TARGET_X86)
    rsan_tso_repeat(&thread->machines->tso, &machines->tso);
}

static void update_machines(struct rsan_thread *thread, struct rsan_location *location,
                            const struct rsan_access *access) {
  uint32_t asked = thread->engine->machines->asked;
  if (asked & RSAN_TARGET_ARM)
    update_arm(thread, location, access);
  // A write's version has the index that its thread has now. A load that hosts repeat after L has
  // changed is news to the next write.
  if (asked & RSAN_TARGET_X86)
    thread->sc.moves += rsan_tso_access(&thread->machines->tso, &location->more->machines->tso,
                                        tso_class(access), thread->sc.vs.index);
  struct rsan_last_access last = {location->history.newest, load_of(thread, access)};
  note_last_access(location->more->machines, thread->hb.index, last);
}

bool rsan_machines_access(struct rsan_engine *engine, struct rsan_thread *thread,
                          struct rsan_location *location, const struct rsan_access *access,
                          struct rsan_violation *violation) {
  uint32_t machines = 0;
  struct rsan_violation witness;
  if (rsan_unseen_outdates(engine, location))
    rsan_catch_up(thread, location);
  // Where the thread's last access was of the newest version nothing can be missed, and a streak
  // (streak.h) is not to end.
  struct rsan_last_access last =
      last_access(&location->more->machines->coherence, thread->hb.index);
  bool knows_newest = last.version == location->history.newest && location->started &&
                      rsan_value_equal(location->history.value, access->seen);
  if (!knows_newest && !location->withdrawn) {
    rsan_prepare(thread, location, access);
    uint64_t coherent = location->history.newest ? last.version : 0; // 0: it has begun anew
    machines = check_machines(engine, thread, location, access, coherent, &witness);
  }
  bool c11 = rsan_access_c11(engine, thread, location, access, violation);
  if (location->withdrawn)
    return false;
  if (knows_newest && repeats_load(load_of(thread, access), &last))
    repeat_load(thread, location);
  else
    update_machines(thread, location, access);
  return (c11 || machines) && conclude(engine, c11, machines, &witness, violation);
}

bool rsan_machines_arrive(struct rsan_engine *engine, struct rsan_thread *thread,
                          struct rsan_location *location, const struct rsan_access *access,
                          struct rsan_violation *violation) {
  if (location->withdrawn)
    return false;
  struct rsan_violation witness;
  rsan_catch_up(thread, location);
  rsan_prepare(thread, location, access);
  uint64_t coherent = last_access(&location->more->machines->coherence, thread->hb.index).version;
  uint32_t machines = check_machines(engine, thread, location, access, coherent, &witness);
  bool c11 = rsan_arrive_c11(engine, thread, location, access, violation);
  return conclude(engine, c11, machines, &witness, violation);
}
