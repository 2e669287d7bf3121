// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An access on each machine: its kind there, the version that it may miss, and the update.

#include "machines.h"

#include "../host.h"

enum { ORDERS = RSAN_SEQ_CST + 1 };

// Out of line, so that the frequent path saves no registers for it.
__attribute__((noinline)) static void grow_coherence(struct rsan_machines_location *location,
                                                     uint32_t thread) {
  struct rsan_coherence *coherence = &location->coherence;
  uint32_t count = coherence->count;
  while (count <= thread)
    count *= 2;
  struct rsan_last_access *grown = rsan_host_alloc(count * sizeof *grown);
  for (uint32_t i = 0; i < count; i++)
    grown[i] = rsan_last_access(coherence, i);
  if (coherence->at != location->first)
    rsan_host_free(coherence->at);
  coherence->at = grown;
  coherence->count = count;
}

static void note_last_access(struct rsan_machines_location *location, uint32_t thread,
                             uint64_t version, uint64_t load) {
  if (thread >= location->coherence.count) {
    if (!version)
      return; // as a thread that has no entry
    grow_coherence(location, thread);
  }
  location->coherence.at[thread] = (struct rsan_last_access){version, load};
}

static bool is_compare_exchange(const struct rsan_access *access) {
  return access->check == RSAN_CHECK_STRONG_CAS || access->check == RSAN_CHECK_BCAS || access->weak;
}

static enum rsan_tso_class tso_class(const struct rsan_access *access) {
  if (access->kind == RSAN_WRITE)
    return access->order == RSAN_SEQ_CST ? RSAN_TSO_LOCKED : RSAN_TSO_STORE;
  if (access->kind == RSAN_RMW)
    return RSAN_TSO_LOCKED;
  return is_compare_exchange(access) ? RSAN_TSO_LOCKED_READ : RSAN_TSO_LOAD;
}

// Whatever the machine, an access misses nothing if the first version after the thread's last
// access is not before it in every SC run: then no later one is, either. (Under a floor a later one
// may be.)
static bool may_miss(const struct rsan_machines_sight *sight, uint64_t coherent) {
  if (coherent == sight->history->newest)
    return false;
  const struct rsan_version *next = rsan_history_after(sight->history, coherent);
  return next && (sight->indices->taken_by_force ||
                  rsan_stamp_get(&sight->sc->vs, next->writer) >= next->sc_index);
}

static struct rsan_verdict missed_above(const struct rsan_machines_sight *sight,
                                        const struct rsan_access *access, uint64_t known) {
  return (struct rsan_verdict){
      rsan_compact_check(sight->sc, sight->history, sight->indices, access, known), known};
}

// What the access may miss on x86. x86's compare-exchange never fails without a reason, so a weak
// one is a strong one.
static struct rsan_verdict check_tso(const struct rsan_machines_thread *thread,
                                     const struct rsan_machines_sight *sight,
                                     const struct rsan_access *access, uint64_t coherent) {
  uint64_t known = rsan_tso_known(&thread->tso, sight->history, tso_class(access), coherent);
  if (known == sight->history->newest)
    return (struct rsan_verdict){0, known};
  if (!access->weak)
    return missed_above(sight, access, known);
  struct rsan_access strong = *access;
  strong.check = RSAN_CHECK_STRONG_CAS;
  return missed_above(sight, &strong, known);
}

static bool arm_is_rcsc(uint32_t asked, bool plain_load, enum rsan_order order) {
  bool ldar = order == RSAN_SEQ_CST || (asked & RSAN_TARGET_ARM_LDAR);
  return rsan_order_acquires(order) && (!plain_load || ldar);
}

static struct rsan_arm_access arm_access(uint32_t asked, unsigned which, bool reads, bool writes,
                                         bool plain_load, enum rsan_order order) {
  bool acquires = reads && rsan_order_acquires(order), releases = rsan_order_releases(order);
  bool lse = asked & RSAN_TARGET_ARM_LSE;
  return (struct rsan_arm_access){
      .reads = reads,
      .writes = writes,
      .acquires = acquires || (reads && which == RSAN_ARM_DEFINITE),
      .rcsc = reads && arm_is_rcsc(asked, plain_load, order),
      .releases = writes && releases,
      .barrier = lse && reads && writes && acquires && releases,
  };
}

// What a compare-exchange may miss if it fails, or if it succeeds. With exclusive loads and stores
// a weak one may fail without a reason.
static struct rsan_verdict check_arm_exchange(const struct rsan_machines_thread *thread,
                                              const struct rsan_machines_location *location,
                                              const struct rsan_machines_sight *sight,
                                              const struct rsan_access *access, unsigned which,
                                              uint64_t coherent) {
  const struct rsan_arm_thread *by = &thread->arm[which];
  const struct rsan_arm_location *at = &location->arm[which];
  bool at_will = access->weak && !(thread->asked & RSAN_TARGET_ARM_LSE);
  struct rsan_access branch = *access;
  struct rsan_arm_access arm =
      arm_access(thread->asked, which, true, false, false, access->failure);
  branch.check = at_will ? RSAN_CHECK_READ : RSAN_CHECK_WAIT;
  branch.expected.relation = RSAN_NOT_EQUAL;
  branch.expected.alone = false;
  struct rsan_verdict fails = missed_above(sight, &branch, rsan_arm_known(by, at, &arm, coherent));
  if (fails.missed)
    return fails;
  arm = arm_access(thread->asked, which, true, true, false, access->success);
  branch.check = RSAN_CHECK_BCAS;
  branch.expected = access->expected;
  return missed_above(sight, &branch, rsan_arm_known(by, at, &arm, coherent));
}

static struct rsan_verdict check_arm(const struct rsan_machines_thread *thread,
                                     const struct rsan_machines_location *location,
                                     const struct rsan_machines_sight *sight,
                                     const struct rsan_access *access, unsigned which,
                                     uint64_t coherent) {
  if (access->check == RSAN_CHECK_STRONG_CAS || access->weak)
    return check_arm_exchange(thread, location, sight, access, which, coherent);
  bool blocking = access->check == RSAN_CHECK_BCAS;
  bool writes = access->kind != RSAN_READ || blocking, reads = access->kind != RSAN_WRITE;
  struct rsan_arm_access arm = arm_access(thread->asked, which, reads, writes, !writes,
                                          access->compares ? access->success : access->order);
  return missed_above(sight, access,
                      rsan_arm_known(&thread->arm[which], &location->arm[which], &arm, coherent));
}

uint32_t rsan_machines_check(const struct rsan_machines_thread *thread,
                             const struct rsan_machines_location *location,
                             const struct rsan_machines_sight *sight,
                             const struct rsan_access *access, struct rsan_verdict *verdict) {
  uint64_t coherent = rsan_last_access(&location->coherence, thread->index).version;
  uint32_t shown = 0;
  if (!may_miss(sight, coherent))
    return 0;
  if (thread->asked & RSAN_TARGET_X86) {
    *verdict = check_tso(thread, sight, access, coherent);
    shown = verdict->missed ? RSAN_TARGET_X86 : 0;
  }
  for (unsigned which = 0; which < thread->arms; which++) {
    struct rsan_verdict found = check_arm(thread, location, sight, access, which, coherent);
    if (!found.missed)
      break; // nor definitely
    if (!shown)
      *verdict = found;
    shown |= which == RSAN_ARM_MAY ? RSAN_TARGET_ARM : RSAN_TARGET_ARM_DEFINITE;
  }
  return shown;
}

__attribute__((noinline)) static bool update_arm(struct rsan_machines_thread *thread,
                                                 struct rsan_machines_location *location,
                                                 const struct rsan_access *access,
                                                 uint64_t newest) {
  struct rsan_arm_access arm =
      arm_access(thread->asked, RSAN_ARM_MAY, access->kind != RSAN_WRITE, access->kind != RSAN_READ,
                 access->kind == RSAN_READ && !is_compare_exchange(access), access->order);
  bool moves = rsan_arm_update(&thread->arm[RSAN_ARM_MAY], &location->arm[RSAN_ARM_MAY], &arm,
                               newest, thread->keep);
  arm.acquires = arm.reads;
  moves |= rsan_arm_update(&thread->arm[RSAN_ARM_DEFINITE], &location->arm[RSAN_ARM_DEFINITE], &arm,
                           newest, thread->keep);
  return moves;
}

// What a load does at a location, by what its thread has of others; 0: that is not known.
static uint64_t load_of(const struct rsan_machines_thread *thread,
                        const struct rsan_access *access) {
  if (access->kind != RSAN_READ || is_compare_exchange(access) ||
      (thread->arms && arm_is_rcsc(thread->asked, true, access->order)))
    return 0;
  uint64_t changes = thread->tso.l_changes;
  if (thread->arms)
    changes += rsan_arm_changes(&thread->arm[RSAN_ARM_MAY]) +
               rsan_arm_changes(&thread->arm[RSAN_ARM_DEFINITE]);
  return changes * ORDERS + (uint64_t)access->order;
}

// Has the thread made the load already of that version, no weaker, and has it learnt nothing of
// others since? Then only the next write has to learn of it, and only what the thread itself did.
static bool repeats_load(const struct rsan_machines_thread *thread,
                         const struct rsan_machines_location *location, uint64_t load,
                         uint64_t version) {
  if (!load)
    return false;
  struct rsan_last_access last = rsan_last_access(&location->coherence, thread->index);
  return last.version == version && load / ORDERS == last.load / ORDERS && load <= last.load;
}

static void repeat_load(struct rsan_machines_thread *thread,
                        struct rsan_machines_location *location) {
  for (unsigned which = 0; which < location->arms; which++)
    rsan_arm_repeat(&thread->arm[which], &location->arm[which]);
  if (thread->asked & RSAN_TARGET_X86)
    rsan_tso_repeat(&thread->tso, &location->tso);
}

bool rsan_machines_update(struct rsan_machines_thread *thread,
                          struct rsan_machines_location *location, const struct rsan_access *access,
                          uint64_t newest, uint64_t sc_index) {
  if (repeats_load(thread, location, load_of(thread, access), newest)) {
    repeat_load(thread, location);
    return false;
  }
  bool moves = thread->arms && update_arm(thread, location, access, newest);
  // After a change of L a host may not repeat the load unseen: the next write has to learn of it.
  if (thread->asked & RSAN_TARGET_X86)
    moves |= rsan_tso_access(&thread->tso, &location->tso, tso_class(access), sc_index);
  note_last_access(location, thread->index, newest, load_of(thread, access));
  return moves;
}
