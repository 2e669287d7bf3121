// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "collect_plain.h"

#include "../host.h"

// Tells each record of the thread's next one. A distance that does not fit counts as none, which
// keeps a record too many.
void rsan_plain_link(struct rsan_records *records) {
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

static bool plain_reaches(const struct rsan_stamp *clock, const struct rsan_record *record) {
  return record->epoch <= rsan_stamp_get(clock, record->thread);
}

// Number of records up to the newest one that the clock reaches. Its T_c is that one's version.
static uint32_t plain_reached(const struct rsan_stamp *clock, const struct rsan_records *records) {
  const struct rsan_record *at = records->at;
  uint32_t count = records->count;
  while (count > 0 && !plain_reaches(clock, &at[count - 1]))
    count--;
  return count;
}

static uint64_t plain_known_by(const struct rsan_records *records, uint32_t count) {
  return count ? records->at[count - 1].version : records->base;
}

// The record that T_c is from. And were a record merged into the thread's next one, a clock that
// reaches the first and not the second would know more than before, unless it does in any case:
// `known`. So the second is among those after the `count` that end with the newest one reached.
static void plain_mark_live(struct rsan_records *records, const struct rsan_stamp *clock,
                            uint32_t count, uint64_t known) {
  struct rsan_record *at = records->at;
  if (count && at[count - 1].version >= known)
    at[count - 1].live = true;
  for (uint32_t i = records->count; i-- > count && at[i].version > known;) {
    struct rsan_record *previous = &at[i - at[i].previous];
    if (at[i].previous && !previous->live && plain_reaches(clock, previous))
      previous->live = true;
  }
}

void rsan_plain_mark(struct rsan_records *records, const struct rsan_hb_clocks *clocks) {
  uint32_t count = plain_reached(clocks->c, records);
  uint64_t known = plain_known_by(records, count);
  plain_mark_live(records, clocks->c, count, known);
  count = plain_reached(clocks->a, records);
  uint64_t after_fence = plain_known_by(records, count);
  plain_mark_live(records, clocks->a, count, after_fence > known ? after_fence : known);
  count = plain_reached(clocks->r, records);
  plain_mark_live(records, clocks->r, count, plain_known_by(records, count));
}

// Is the record, which a later one of its thread follows, to be merged into that?
static bool plain_is_merged(const struct rsan_record *record, const struct rsan_record *next,
                            uint64_t most) {
  return !record->live && (record->rank >= RSAN_COLLECT_KEPT || next->version <= most);
}

// Drops records up to the base and merges upward those that are not to be kept.
static void plain_collect_records(struct rsan_records *records, bool bounded, uint64_t most,
                                  struct rsan_forgotten *forgotten) {
  struct rsan_record *at = records->at;
  uint32_t kept = 0;
  for (uint32_t i = 0; i < records->count; i++) {
    struct rsan_record *next = &at[i + at[i].next];
    if (at[i].version <= records->base)
      continue;
    bool superseded = at[i].next && next->epoch == at[i].epoch;
    if (superseded || (bounded && at[i].next && plain_is_merged(&at[i], next, most))) {
      next->epoch = at[i].epoch;
      if (!superseded)
        forgotten->merged_records++;
      continue;
    }
    at[i].rank = !at[i].next; // from here on: the thread's newest
    at[kept++] = at[i];
  }
  records->count = kept;
}

static void plain_pin_after(struct rsan_history *history, uint64_t version) {
  const struct rsan_version *after = rsan_history_after(history, version);
  if (after)
    history->at[after - history->at].pinned = true;
}

// What a live thread knows, and what its newest record says.
static void plain_pin_known(struct rsan_history *history, const struct rsan_records *records,
                            uint64_t most) {
  const struct rsan_record *at = records->at;
  for (uint32_t i = 0; i < records->count; i++)
    if (at[i].live || (at[i].rank && at[i].version >= most))
      plain_pin_after(history, at[i].version);
}

struct plain_firsts {
  struct rsan_version *plain, *different;
  struct rsan_version *match[RSAN_CRITICAL_CONDITIONS], *plain_match[RSAN_CRITICAL_CONDITIONS];
};

static void plain_note_firsts(struct plain_firsts *first, const struct rsan_history *history,
                              struct rsan_version *version, struct rsan_version *next) {
  if (version->plain)
    first->plain = version;
  if (next && !rsan_value_equal(next->overwrote, version->overwrote))
    first->different = next;
  for (uint32_t i = 0; i < rsan_history_criticals(history); i++)
    if (rsan_condition_holds(&history->critical->at[i], version->overwrote)) {
      first->match[i] = version;
      if (version->plain)
        first->plain_match[i] = version;
    }
}

static void plain_pin(struct rsan_version *version) {
  if (version)
    version->pinned = true;
}

// From the pins 'first after t' to all that a check by someone who knows t can be about. Backward,
// so that the firsts from each version on are at hand; what they pin comes later and is not
// visited again, so it pins nothing itself.
static void plain_pin_checks(struct rsan_history *history) {
  struct rsan_version *at = history->at;
  struct plain_firsts first = {0};
  for (uint32_t i = history->count; i-- > 0;) {
    plain_note_firsts(&first, history, &at[i], i + 1 < history->count ? &at[i + 1] : 0);
    if (!at[i].pinned)
      continue;
    plain_pin(first.plain);
    plain_pin(first.different);
    for (uint32_t c = 0; c < rsan_history_criticals(history); c++) {
      plain_pin(first.match[c]);
      plain_pin(first.plain_match[c]);
    }
  }
}

static void plain_drop_versions(struct rsan_history *history, uint64_t base, bool bounded,
                                struct rsan_forgotten *forgotten) {
  struct rsan_version *at = history->at;
  uint32_t kept = 0;
  for (uint32_t i = 0; i < history->count; i++) {
    if (at[i].number <= base)
      continue;
    if (bounded && !at[i].pinned && i + RSAN_COLLECT_KEPT < history->count) {
      forgotten->dropped_versions++;
      continue;
    }
    at[i].pinned = false;
    at[kept++] = at[i];
  }
  history->count = kept;
}

struct rsan_forgotten rsan_plain_forget(struct rsan_history *history, struct rsan_records *records,
                                        bool bounded, uint64_t most) {
  struct rsan_forgotten forgotten = {0, 0};
  plain_collect_records(records, bounded, most, &forgotten);
  if (bounded) {
    plain_pin_after(history, records->base);
    plain_pin_known(history, records, most);
    plain_pin_checks(history);
  }
  plain_drop_versions(history, records->base, bounded, &forgotten);
  return forgotten;
}

void rsan_twin_begin(struct rsan_twin *twin, const struct rsan_history *history,
                     const struct rsan_records *records) {
  twin->history = *history;
  twin->records = *records;
  if (history->count)
    twin->history.at = rsan_host_alloc(history->count * sizeof *history->at);
  for (uint32_t i = 0; i < history->count; i++)
    twin->history.at[i] = history->at[i];
  if (records->count)
    twin->records.at = rsan_host_alloc(records->count * sizeof *records->at);
  for (uint32_t i = 0; i < records->count; i++)
    twin->records.at[i] = records->at[i];
  rsan_plain_link(&twin->records);
}

bool rsan_twin_equals(const struct rsan_twin *twin, const struct rsan_history *history,
                      const struct rsan_records *records) {
  bool equal = twin->history.count == history->count && twin->records.count == records->count &&
               twin->records.base == records->base;
  for (uint32_t i = 0; equal && i < history->count; i++)
    equal = twin->history.at[i].number == history->at[i].number && !history->at[i].pinned;
  for (uint32_t i = 0; equal && i < records->count; i++)
    equal = twin->records.at[i].thread == records->at[i].thread &&
            twin->records.at[i].epoch == records->at[i].epoch &&
            twin->records.at[i].version == records->at[i].version;
  return equal;
}

void rsan_twin_end(struct rsan_twin *twin) {
  rsan_host_free(twin->history.at);
  rsan_host_free(twin->records.at);
}
