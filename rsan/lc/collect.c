// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "collect.h"

#include "../host.h"

static void mark_live(struct rsan_records *records, struct rsan_clock *clock) {
  rsan_lock(&clock->growing);
  for (uint32_t i = 0; i < records->count; i++) {
    struct rsan_record_list *list = &records->lists[i];
    struct rsan_record *record = rsan_records_find(list, rsan_clock_peek(clock, list->thread));
    if (record)
      record->live = true;
  }
  rsan_unlock(&clock->growing);
}

// Newest version of the list that every running thread knows.
static uint64_t known_to_all(const struct rsan_record_list *list, const struct rsan_views *views) {
  uint64_t epoch = UINT64_MAX;
  for (struct rsan_view *view = views->first; view; view = view->next) {
    if (!view->running)
      continue;
    struct rsan_clock *clock = &view->hb->c;
    rsan_lock(&clock->growing);
    uint64_t known = rsan_clock_peek(clock, list->thread);
    rsan_unlock(&clock->growing);
    if (known < epoch)
      epoch = known;
  }
  const struct rsan_record *record = rsan_records_find(list, epoch);
  return record ? record->version : 0;
}

static void look_at_views(struct rsan_records *records, struct rsan_views *views, bool bounded) {
  rsan_lock(&views->lock);
  for (uint32_t i = 0; i < records->count; i++) {
    uint64_t version = known_to_all(&records->lists[i], views);
    if (version > records->base)
      records->base = version;
  }
  for (struct rsan_view *view = views->first; bounded && view; view = view->next) {
    mark_live(records, &view->hb->c);
    mark_live(records, &view->hb->a);
    mark_live(records, &view->hb->r);
  }
  rsan_unlock(&views->lock);
}

// Drops records up to the base and merges upward those that are not to be kept.
static void collect_list(struct rsan_record_list *list, uint64_t base, bool bounded,
                         struct rsan_counters *counters) {
  uint32_t kept = 0;
  bool merging = false;
  uint64_t epoch = 0; // of the oldest record that is being merged
  for (uint32_t i = 0; i < list->count; i++) {
    struct rsan_record record = list->at[i];
    if (record.version <= base)
      continue;
    if (bounded && !record.live && i + RSAN_COLLECT_KEPT < list->count) {
      if (!merging)
        epoch = record.epoch;
      merging = true;
      RSAN_COUNT(counters, merged_records);
      continue;
    }
    if (merging)
      record.epoch = epoch;
    merging = false;
    list->at[kept++] = record;
  }
  list->count = kept;
  if (kept) {
    list->epoch = list->at[kept - 1].epoch;
    list->version = list->at[kept - 1].version;
  }
}

static void collect_records(struct rsan_records *records, bool bounded,
                            struct rsan_counters *counters) {
  uint32_t kept = 0;
  records->total = 0;
  for (uint32_t i = 0; i < records->count; i++) {
    struct rsan_record_list *list = &records->lists[i];
    collect_list(list, records->base, bounded, counters);
    if (!list->count) {
      rsan_host_free(list->at);
      continue;
    }
    records->total += list->count;
    records->lists[kept++] = *list;
  }
  records->count = kept;
}

static void pin_after(struct rsan_history *history, uint64_t version) {
  struct rsan_version *after = rsan_history_after(history, version);
  if (after)
    after->pinned = true;
}

// What a live thread knows, and what its newest record says.
static void pin_known(struct rsan_history *history, struct rsan_record_list *list) {
  for (uint32_t i = 0; i < list->count; i++) {
    if (list->at[i].live || i + 1 == list->count)
      pin_after(history, list->at[i].version);
    list->at[i].live = false;
  }
}

struct firsts {
  struct rsan_version *plain, *different;
  struct rsan_version *match[RSAN_CRITICAL_VALUES], *plain_match[RSAN_CRITICAL_VALUES];
};

static void note_firsts(struct firsts *first, const struct rsan_history *history,
                        struct rsan_version *version, struct rsan_version *next) {
  if (version->plain)
    first->plain = version;
  if (next && !rsan_value_equal(next->overwrote, version->overwrote))
    first->different = next;
  for (uint32_t i = 0; i < history->critical_count; i++)
    if (rsan_value_equal(version->overwrote, history->critical[i])) {
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
  struct firsts first = {0};
  for (uint32_t i = history->count; i-- > 0;) {
    struct rsan_version *version = &history->versions[i];
    note_firsts(&first, history, version, i + 1 < history->count ? version + 1 : 0);
    if (!version->pinned)
      continue;
    pin(first.plain);
    pin(first.different);
    for (uint32_t value = 0; value < history->critical_count; value++) {
      pin(first.match[value]);
      pin(first.plain_match[value]);
    }
  }
}

static void drop_versions(struct rsan_history *history, uint64_t base, bool bounded,
                          struct rsan_counters *counters) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < history->count; i++) {
    struct rsan_version version = history->versions[i];
    if (version.number <= base)
      continue;
    if (bounded && !version.pinned && i + RSAN_COLLECT_KEPT < history->count) {
      RSAN_COUNT(counters, dropped_versions);
      continue;
    }
    version.pinned = false;
    history->versions[kept++] = version;
  }
  history->count = kept;
}

void rsan_collect(struct rsan_history *history, struct rsan_records *records,
                  struct rsan_views *views, bool bounded, struct rsan_counters *counters) {
  look_at_views(records, views, bounded);
  collect_records(records, bounded, counters);
  if (bounded) {
    pin_after(history, records->base);
    for (uint32_t i = 0; i < records->count; i++)
      pin_known(history, &records->lists[i]);
    pin_checks(history);
  }
  drop_versions(history, records->base, bounded, counters);
}
