// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which older versions an access may be given: a pure question.

#include "weak.h"

#include "../host.h"
#include "ring.h"

// One way in which the access may take effect.
struct way {
  enum rsan_access_kind kind;
  enum rsan_order order;
};

static unsigned ways_of(const struct rsan_access *access, struct way ways[2]) {
  bool weak = access->weak && access->check == RSAN_CHECK_READ;
  enum rsan_order success = access->compares ? access->success : access->order;
  if (access->check == RSAN_CHECK_BCAS) {
    ways[0] = (struct way){RSAN_RMW, success};
    return 1;
  }
  if (!weak && access->check != RSAN_CHECK_STRONG_CAS) {
    ways[0] = (struct way){access->kind, access->order};
    return 1;
  }
  ways[0] = (struct way){RSAN_RMW, success};
  ways[1] = (struct way){RSAN_READ, access->compares ? access->failure : access->order};
  return 2;
}

// What D knows of the location, for an access that is behind some event of S.
static uint64_t known_to_d(const struct rsan_thread *thread, const struct rsan_location *location,
                           uint64_t known) {
  struct rsan_weak *weak = thread->engine->weak;
  const struct rsan_weak_location *there = location->more->weak;
  uint64_t in_s = atomic_load_explicit(&weak->in_s, memory_order_acquire);
  if (!in_s)
    return known;
  uint64_t by_event = there->in_s == in_s ? there->known_in_s : rsan_weak_newest_in_s(location);
  rsan_lock(&weak->lock);
  const struct rsan_s_thread behind_fence = {.c.f = weak->fence};
  uint64_t by_fence =
      rsan_s_known(&behind_fence, location->s, &location->compact.records, false, known);
  rsan_unlock(&weak->lock);
  return by_event > by_fence ? by_event : by_fence;
}

// K. `known` is T_c.
static uint64_t threshold(const struct rsan_thread *thread, const struct rsan_location *location,
                          enum rsan_order order, uint64_t known) {
  const struct rsan_s_thread *views = thread->s;
  bool seq_cst = order == RSAN_SEQ_CST;
  if (!views)
    return known;
  known = rsan_s_known(views, location->s, &location->compact.records, seq_cst, known);
  bool counts =
      seq_cst ? !rsan_s_is_empty(&views->st) || !rsan_s_is_empty(&views->c.h) : views->c.f != 0;
  return counts ? known_to_d(thread, location, known) : known;
}

static bool value_fits(const struct rsan_access *access, const struct way *way,
                       struct rsan_value value) {
  bool holds = rsan_condition_holds(&access->expected, value);
  switch (access->check) {
  case RSAN_CHECK_WAIT:
  case RSAN_CHECK_BCAS:
    return holds;
  case RSAN_CHECK_KERNEL_COMPARE:
    return rsan_tells_apart(access, value);
  case RSAN_CHECK_STRONG_CAS:
    return holds == (way->kind == RSAN_RMW);
  case RSAN_CHECK_READ: // of a weak compare-exchange two ways
    return holds || way->kind == RSAN_READ;
  case RSAN_CHECK_WRITE:
  case RSAN_CHECK_KERNEL_UPDATE:
    return true;
  }
  return false;
}

static bool fits(const struct rsan_access *access, const struct way *way,
                 const struct rsan_weak_version *version) {
  if (way->kind != RSAN_READ && !version->next.plain)
    return false;
  if (way->kind == RSAN_RMW && version->taken)
    return false;
  return value_fits(access, way, version->next.overwrote);
}

static uint32_t find_by(const struct rsan_thread *thread, const struct rsan_location *location,
                        const struct rsan_access *access, const struct way *way, uint64_t known,
                        struct rsan_candidate *candidates) {
  const struct rsan_weak_location *there = location->more->weak;
  uint64_t k = threshold(thread, location, way->order, known);
  uint32_t count = 0;
  for (uint32_t i = 0; i < there->count; i++) {
    const struct rsan_weak_version *version = rsan_weak_version_at(there, i);
    const struct rsan_version *next = &version->next;
    if (next->number <= k)
      continue;
    if (!rsan_compact_is_visible(&thread->sc, &thread->engine->indices, next))
      break;
    if (fits(access, way, version))
      candidates[count++] = (struct rsan_candidate){.version = next->number - 1,
                                                    .newest = location->history.newest,
                                                    .value = next->overwrote,
                                                    .site = next->site,
                                                    .owner = next->owner,
                                                    .kind = way->kind,
                                                    .order = way->order};
  }
  return count;
}

// Is the version after K, which the thread may not know, one that it could miss? (Yes, if it is not
// kept.)
static bool could_miss_next(const struct rsan_thread *thread, const struct rsan_history *history,
                            uint64_t k) {
  const struct rsan_version *next = rsan_history_after(history, k);
  return next && (next->number > k + 1 ||
                  rsan_compact_is_visible(&thread->sc, &thread->engine->indices, next));
}

bool rsan_weak_forgets(const struct rsan_thread *thread, const struct rsan_location *location,
                       const struct rsan_access *access) {
  struct way ways[2];
  if (!thread->engine->weak || location->withdrawn || !location->more->weak->count)
    return false;
  uint64_t known = rsan_records_known(&location->compact.records, &thread->hb.c);
  uint64_t oldest = rsan_weak_version_at(location->more->weak, 0)->next.number - 1;
  unsigned all = ways_of(access, ways);
  for (unsigned i = 0; i < all; i++) {
    uint64_t k = threshold(thread, location, ways[i].order, known);
    if (k < oldest && could_miss_next(thread, &location->history, k))
      return true;
  }
  return false;
}

uint32_t rsan_weak_find(const struct rsan_thread *thread, const struct rsan_location *location,
                        const struct rsan_access *access,
                        struct rsan_candidate candidates[RSAN_CANDIDATES]) {
  struct way ways[2];
  uint32_t count = 0;
  if (!location->more->weak->count)
    return 0;
  uint64_t known = rsan_records_known(&location->compact.records, &thread->hb.c);
  if (known == location->history.newest)
    return 0;
  unsigned all = ways_of(access, ways);
  for (unsigned i = 0; i < all; i++)
    count += find_by(thread, location, access, &ways[i], known, candidates + count);
  return count;
}
