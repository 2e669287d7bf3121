// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "check.h"

#include "../steps/reference.h"
#include "../steps/seqcst.h"
#include "../weak/weak.h"

static const struct rsan_version *compact_missed(const struct rsan_thread *thread,
                                                 const struct rsan_location *location,
                                                 const struct rsan_access *access, uint64_t known) {
  if (known == location->history.newest)
    return 0;
  return rsan_compact_check(&thread->sc, &location->history, &thread->engine->indices, access,
                            known);
}

// A version that the access may miss by happens-before (NULL: none) is checked against S as well.
static struct rsan_verdict check_compact(const struct rsan_thread *thread,
                                         const struct rsan_location *location,
                                         const struct rsan_access *access, uint64_t known) {
  struct rsan_verdict verdict = {compact_missed(thread, location, access, known), known};
  if (!verdict.missed || !thread->s)
    return verdict;
  struct rsan_branch branches[2];
  unsigned count = rsan_branches_of(access, branches);
  verdict.missed = 0;
  for (unsigned i = 0; i < count && !verdict.missed; i++) {
    verdict.known = rsan_s_known(thread->s, location->s, &location->compact.records,
                                 branches[i].seq_cst, known);
    verdict.missed = compact_missed(thread, location, &branches[i].access, verdict.known);
  }
  return verdict;
}

// Both kinds of clocks say the same where nothing was given up; else the compact ones flag less.
__attribute__((noinline)) static void compare_with_reference(const struct rsan_thread *thread,
                                                             const struct rsan_location *location,
                                                             const struct rsan_access *access,
                                                             uint64_t known,
                                                             struct rsan_verdict verdict) {
  const struct rsan_engine *engine = thread->engine;
  uint64_t by_definition;
  struct rsan_verdict reference = rsan_reference_check(thread, location, access, &by_definition);
  bool gives_up = engine->indices.floors || engine->options.history == RSAN_HISTORY_BOUNDED;
  RSAN_ASSERT(gives_up ? known >= by_definition && (!verdict.missed || reference.missed)
                       : known == by_definition && verdict.missed == reference.missed,
              "compact and explicit clocks disagree");
}

// Does the verdict count? Compares it with the reference's, for threads that have one.
__attribute__((noinline)) static bool stands(const struct rsan_thread *thread,
                                             const struct rsan_location *location,
                                             const struct rsan_access *access, uint64_t known,
                                             struct rsan_verdict verdict) {
  if (thread->reference)
    compare_with_reference(thread, location, access, known, verdict);
  return !rsan_weak_departed(thread->engine);
}

// An access that only a plain store could be missed by, at an object that nothing but read-modify-
// writes have changed (a counter), or whose stores all threads know: T_c does not matter.
static bool misses_nothing(const struct rsan_location *location, const struct rsan_access *access) {
  return access->check == RSAN_CHECK_WRITE &&
         location->history.newest_plain <= location->compact.records.base;
}

struct rsan_violation rsan_witness(const struct rsan_thread *thread,
                                   const struct rsan_location *location,
                                   const struct rsan_access *access, struct rsan_verdict verdict) {
  const struct rsan_version *missed = verdict.missed;
  return (struct rsan_violation){
      .check = access->check,
      .known = verdict.known,
      .missed = missed->number,
      .stale = missed->overwrote,
      .missed_value = missed->wrote,
      .site = missed->site,
      .owner = missed->owner,
      .order = missed->order,
      .plain = missed->plain,
      .missed_size = (uint8_t)access->size,
      .object = location->object,
      .position = rsan_log_head(thread->log),
  };
}

bool rsan_check(const struct rsan_thread *thread, const struct rsan_location *location,
                const struct rsan_access *access, uint64_t *known,
                struct rsan_violation *violation) {
  struct rsan_verdict verdict;
  if (thread->engine->options.clocks == RSAN_CLOCKS_EXPLICIT) {
    verdict = rsan_reference_check(thread, location, access, known);
  } else {
    if (!thread->in_full && misses_nothing(location, access))
      return false;
    *known = rsan_records_known(&location->compact.records, &thread->hb.c);
    verdict = check_compact(thread, location, access, *known);
    if (thread->in_full && !stands(thread, location, access, *known, verdict))
      return false;
  }
  if (!verdict.missed)
    return false;
  *violation = rsan_witness(thread, location, access, verdict);
  return true;
}
