// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "collect.h"

#include "../host.h"

// Tells each record of the thread's next one. A distance that does not fit counts as none, which
// keeps a record too many.
static void link_records(struct rsan_records *records) {
  struct rsan_record *at = records->at;
  for (uint32_t i = records->count; i-- > 0;) {
    at[i].next = at[i].previous = at[i].rank = 0;
    at[i].live = false;
    for (uint32_t j = i + 1; j < records->count && j - i <= RSAN_RECORD_DISTANCE_MAX; j++) {
      if (at[j].thread != at[i].thread)
        continue;
      at[i].next = at[j].previous = (j - i) & RSAN_RECORD_DISTANCE_MAX;
      at[i].rank = at[j].rank < RSAN_RECORD_RANK_MAX ? at[j].rank + 1u : RSAN_RECORD_RANK_MAX;
      break;
    }
  }
}

static bool reaches(const struct rsan_stamp *clock, const struct rsan_record *record) {
  return record->epoch <= rsan_hb_peek(clock, record->thread);
}

// Number of records up to the newest one that the clock reaches. Its T_c is that one's version.
static uint32_t reached(const struct rsan_stamp *clock, const struct rsan_records *records) {
  const struct rsan_record *at = records->at;
  uint32_t count = records->count;
  while (count > 0 && !reaches(clock, &at[count - 1]))
    count--;
  return count;
}

static uint64_t known_by(const struct rsan_records *records, uint32_t count) {
  return count ? records->at[count - 1].version : records->base;
}

// The record that T_c is from. And were a record merged into the thread's next one, a clock that
// reaches the first and not the second would know more than before, unless it does in any case:
// `known`. So the second is among those after the `count` that end with the newest one reached.
static void mark_live(struct rsan_records *records, const struct rsan_stamp *clock, uint32_t count,
                      uint64_t known) {
  struct rsan_record *at = records->at;
  if (count && at[count - 1].version >= known)
    at[count - 1].live = true;
  for (uint32_t i = records->count; i-- > count && at[i].version > known;) {
    struct rsan_record *previous = &at[i - at[i].previous];
    if (at[i].previous && !previous->live && reaches(clock, previous))
      previous->live = true;
  }
}

// Returns T_c of the thread.
static uint64_t look_at_view(const struct rsan_hb *hb, struct rsan_records *records, bool bounded) {
  uint32_t count = reached(&hb->c, records);
  uint64_t known = known_by(records, count);
  if (!bounded)
    return known;
  mark_live(records, &hb->c, count, known);
  if (hb->a.base) {
    count = reached(&hb->a, records);
    uint64_t after_fence = known_by(records, count);
    mark_live(records, &hb->a, count, after_fence > known ? after_fence : known);
  }
  if (hb->r.index) {
    count = reached(&hb->r, records);
    mark_live(records, &hb->r, count, known_by(records, count));
  }
  return known;
}

// T_c of the running threads that know least, the least first.
struct laggards {
  uint64_t known[RSAN_COLLECT_LAGGARDS + 1];
  uint32_t threads; // all that run
};

static void note_known(struct laggards *laggards, uint64_t known) {
  uint32_t at = laggards->threads++;
  if (at > RSAN_COLLECT_LAGGARDS) {
    at = RSAN_COLLECT_LAGGARDS;
    if (known >= laggards->known[at])
      return;
  }
  for (; at > 0 && laggards->known[at - 1] > known; at--)
    laggards->known[at] = laggards->known[at - 1];
  laggards->known[at] = known;
}

// The version that all threads but a few know.
static uint64_t known_to_most(const struct laggards *laggards) {
  uint32_t few = laggards->threads / RSAN_COLLECT_THREADS_A_LAGGARD;
  return laggards->known[few < RSAN_COLLECT_LAGGARDS ? few : RSAN_COLLECT_LAGGARDS];
}

// False: a view was moving, and `patient` is false. `most` is left alone where nobody runs.
static bool look_at_views(struct rsan_records *records, struct rsan_views *views, bool bounded,
                          bool patient, uint64_t *most) {
  struct laggards laggards = {.threads = 0};
  struct rsan_view *view;
  rsan_lock_shared(&views->lock);
  for (view = views->first; view; view = view->next) {
    if (patient)
      rsan_lock(&view->hb->moving);
    else if (!rsan_try_lock(&view->hb->moving))
      break;
    uint64_t known = look_at_view(view->hb, records, bounded);
    if (view->running)
      note_known(&laggards, known);
    rsan_unlock(&view->hb->moving);
  }
  rsan_unlock_shared(&views->lock);
  if (view)
    return false;
  if (!laggards.threads)
    return true;
  if (laggards.known[0] > records->base)
    records->base = laggards.known[0];
  *most = known_to_most(&laggards);
  return true;
}

// Is the record, which a later one of its thread follows, to be merged into that?
static bool is_merged(const struct rsan_record *record, const struct rsan_record *next,
                      uint64_t most) {
  return !record->live && (record->rank >= RSAN_COLLECT_KEPT || next->version <= most);
}

// Drops records up to the base and merges upward those that are not to be kept.
static void collect_records(struct rsan_records *records, bool bounded, uint64_t most,
                            struct rsan_counters *counters) {
  struct rsan_record *at = records->at;
  uint32_t kept = 0;
  for (uint32_t i = 0; i < records->count; i++) {
    struct rsan_record *next = &at[i + at[i].next];
    if (at[i].version <= records->base)
      continue;
    bool superseded = at[i].next && next->epoch == at[i].epoch;
    if (superseded || (bounded && at[i].next && is_merged(&at[i], next, most))) {
      next->epoch = at[i].epoch;
      if (!superseded)
        RSAN_COUNT(counters, merged_records);
      continue;
    }
    at[i].rank = !at[i].next; // from here on: the thread's newest
    at[kept++] = at[i];
  }
  records->count = kept;
}

static void pin_after(struct rsan_history *history, uint64_t version) {
  const struct rsan_version *after = rsan_history_after(history, version);
  if (after)
    history->at[after - history->at].pinned = true;
}

// What a live thread knows, and what its newest record says.
static void pin_known(struct rsan_history *history, const struct rsan_records *records,
                      uint64_t most) {
  const struct rsan_record *at = records->at;
  for (uint32_t i = 0; i < records->count; i++)
    if (at[i].live || (at[i].rank && at[i].version >= most))
      pin_after(history, at[i].version);
}

struct firsts {
  struct rsan_version *plain, *different;
  struct rsan_version *match[RSAN_CRITICAL_CONDITIONS], *plain_match[RSAN_CRITICAL_CONDITIONS];
};

static void note_firsts(struct firsts *first, const struct rsan_history *history,
                        struct rsan_version *version, struct rsan_version *next) {
  if (version->plain)
    first->plain = version;
  if (next && !rsan_value_equal(next->overwrote, version->overwrote))
    first->different = next;
  for (uint32_t i = 0; i < history->critical_count; i++)
    if (rsan_condition_holds(&history->critical[i], version->overwrote)) {
      first->match[i] = version;
      if (version->plain)
        first->plain_match[i] = version;
    }
}

static void pin(struct rsan_version *version) {
  if (version)
    version->pinned = true;
}

// From the pins 'first after t' to all that a check by someone who knows t can be about. Backward,
// so that the firsts from each version on are at hand; what they pin comes later and is not
// visited again, so it pins nothing itself.
static void pin_checks(struct rsan_history *history) {
  struct rsan_version *at = history->at;
  struct firsts first = {0};
  for (uint32_t i = history->count; i-- > 0;) {
    note_firsts(&first, history, &at[i], i + 1 < history->count ? &at[i + 1] : 0);
    if (!at[i].pinned)
      continue;
    pin(first.plain);
    pin(first.different);
    for (uint32_t c = 0; c < history->critical_count; c++) {
      pin(first.match[c]);
      pin(first.plain_match[c]);
    }
  }
}

static void drop_versions(struct rsan_history *history, uint64_t base, bool bounded,
                          struct rsan_counters *counters) {
  struct rsan_version *at = history->at;
  uint32_t kept = 0;
  for (uint32_t i = 0; i < history->count; i++) {
    if (at[i].number <= base)
      continue;
    if (bounded && !at[i].pinned && i + RSAN_COLLECT_KEPT < history->count) {
      RSAN_COUNT(counters, dropped_versions);
      continue;
    }
    at[i].pinned = false;
    at[kept++] = at[i];
  }
  history->count = kept;
}

bool rsan_collect(struct rsan_history *history, struct rsan_records *records,
                  struct rsan_views *views, bool bounded, bool patient,
                  struct rsan_counters *counters) {
  uint64_t most = 0;
  link_records(records);
  if (!look_at_views(records, views, bounded, patient, &most))
    return false;
  collect_records(records, bounded, most, counters);
  if (bounded) {
    pin_after(history, records->base);
    pin_known(history, records, most);
    pin_checks(history);
  }
  drop_versions(history, records->base, bounded, counters);
  return true;
}
