// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "engine_check.h"

#include "engine_seqcst.h"

// One way in which the access may go wrong, and whether that is a seq_cst event.
struct branch {
  struct rsan_access access;
  bool seq_cst;
};

struct verdict {
  const struct rsan_version *missed; // NULL: none
  uint64_t known;                    // what that was held against
};

// A compare-exchange of which one branch is seq_cst goes wrong in one or the other: it fails by a
// value (a weak one by any), or succeeds and is overwritten. A blocking one only succeeds.
static unsigned branches_of(const struct rsan_access *access, struct branch branches[2]) {
  bool success = access->success == RSAN_SEQ_CST, failure = access->failure == RSAN_SEQ_CST;
  branches[0] = branches[1] = (struct branch){*access, access->order == RSAN_SEQ_CST};
  if (!access->compares || success == failure)
    return 1;
  if (access->check == RSAN_CHECK_BCAS) {
    branches[0].seq_cst = success;
    return 1;
  }
  branches[0].seq_cst = failure;
  if (access->check == RSAN_CHECK_STRONG_CAS) {
    branches[0].access.check = RSAN_CHECK_WAIT;
    branches[0].access.expected.relation = RSAN_NOT_EQUAL;
  }
  branches[1].seq_cst = success;
  branches[1].access.check = RSAN_CHECK_BCAS;
  return 2;
}

// The verdict of the explicit clocks, with the version that the compact ones would name.
static const struct rsan_version *explicit_missed(const struct rsan_thread *thread,
                                                  const struct rsan_location *location,
                                                  const struct rsan_access *access,
                                                  const uint64_t known[RSAN_FAMILIES]) {
  if (!rsan_explicit_check_known(thread->explicit_clocks, location->more->explicit_clocks, access,
                                 known))
    return 0;
  if (access->check == RSAN_CHECK_WAIT && access->expected.alone) {
    uint64_t newest = rsan_explicit_sc(thread->explicit_clocks, location->more->explicit_clocks);
    const struct rsan_version *version = rsan_history_after(&location->history, newest - 1);
    if (!version || version->number != newest ||
        rsan_condition_holds(&access->expected, version->wrote))
      return 0;
  }
  return rsan_history_first(&location->history, known[RSAN_ALL], access);
}

static void explicit_known(const struct rsan_thread *thread, const struct rsan_location *location,
                           uint64_t known[RSAN_FAMILIES]) {
  for (unsigned family = 0; family < RSAN_FAMILIES; family++)
    known[family] =
        rsan_clock_get(&thread->explicit_clocks->c[family], location->more->explicit_clocks->id);
}

static struct verdict check_explicit(const struct rsan_thread *thread,
                                     const struct rsan_location *location,
                                     const struct rsan_access *access) {
  uint64_t known[RSAN_FAMILIES];
  explicit_known(thread, location, known);
  struct verdict verdict = {explicit_missed(thread, location, access, known), known[RSAN_ALL]};
  if (!verdict.missed || !thread->seqcst.explicit_views)
    return verdict;
  struct branch branches[2];
  unsigned count = branches_of(access, branches);
  verdict.missed = 0;
  for (unsigned i = 0; i < count && !verdict.missed; i++) {
    explicit_known(thread, location, known);
    rsan_seqcst_explicit_known(thread->seqcst.explicit_views, location->more->explicit_clocks->id,
                               branches[i].seq_cst, known);
    verdict.known = known[RSAN_ALL];
    verdict.missed = explicit_missed(thread, location, &branches[i].access, known);
  }
  return verdict;
}

static const struct rsan_version *compact_missed(const struct rsan_engine *engine,
                                                 const struct rsan_thread *thread,
                                                 const struct rsan_location *location,
                                                 const struct rsan_access *access, uint64_t known) {
  if (known == location->history.newest)
    return 0;
  return rsan_compact_check(&thread->sc, &location->history, &engine->indices, access, known);
}

// What may be missed by happens-before, or NULL, is held against S as well.
static struct verdict check_compact(const struct rsan_engine *engine,
                                    const struct rsan_thread *thread,
                                    const struct rsan_location *location,
                                    const struct rsan_access *access, uint64_t known) {
  struct verdict verdict = {compact_missed(engine, thread, location, access, known), known};
  if (!verdict.missed || !thread->seqcst.views)
    return verdict;
  struct branch branches[2];
  unsigned count = branches_of(access, branches);
  verdict.missed = 0;
  for (unsigned i = 0; i < count && !verdict.missed; i++) {
    verdict.known = rsan_s_known(thread->seqcst.views, location->seqcst.views,
                                 &location->compact.records, branches[i].seq_cst, known);
    verdict.missed = compact_missed(engine, thread, location, &branches[i].access, verdict.known);
  }
  return verdict;
}

// Equal where nothing was given up; else the compact clocks know more and flag less.
static bool agree(const struct rsan_engine *engine, uint64_t known_compact, uint64_t known_explicit,
                  struct verdict compact, struct verdict explicit_one) {
  if (engine->indices.floors || engine->options.history == RSAN_HISTORY_BOUNDED)
    return known_compact >= known_explicit && (!compact.missed || explicit_one.missed);
  return known_compact == known_explicit && compact.missed == explicit_one.missed;
}

// An access that only a plain store could be missed by, at an object that nothing but read-modify-
// writes have changed (a counter), or whose stores all threads know: T_c does not matter.
static bool misses_nothing(const struct rsan_location *location, const struct rsan_access *access) {
  return access->check == RSAN_CHECK_WRITE &&
         location->history.newest_plain <= location->compact.records.base;
}

bool rsan_check(struct rsan_engine *engine, const struct rsan_thread *thread,
                const struct rsan_location *location, const struct rsan_access *access,
                uint64_t *known, struct rsan_violation *violation) {
  struct verdict verdict = {0};
  if (engine->options.clocks == RSAN_CLOCKS_COMPACT) {
    if (!thread->explicit_clocks && misses_nothing(location, access))
      return false;
    *known = rsan_records_known(&location->compact.records, &thread->hb.c);
    verdict = check_compact(engine, thread, location, access, *known);
  }
  if (thread->explicit_clocks) {
    uint64_t known_explicit =
        rsan_explicit_known(thread->explicit_clocks, location->more->explicit_clocks);
    struct verdict verdict_explicit = check_explicit(thread, location, access);
    RSAN_ASSERT(engine->options.clocks == RSAN_CLOCKS_EXPLICIT ||
                    agree(engine, *known, known_explicit, verdict, verdict_explicit),
                "compact and explicit clocks disagree");
    if (engine->options.clocks == RSAN_CLOCKS_EXPLICIT) {
      *known = known_explicit;
      verdict = verdict_explicit;
    }
  }
  if (!verdict.missed)
    return false;
  *violation = rsan_history_witness(verdict.missed, access, verdict.known);
  violation->object = location->object;
  violation->position = rsan_log_head(thread->log);
  return true;
}
