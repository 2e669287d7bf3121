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

static void *copy_of(const void *block, size_t size) {
  return size ? rsan_host_memcpy(rsan_host_alloc(size), block, size) : 0;
}

void rsan_twin_begin(struct rsan_twin *twin, const struct rsan_history *history,
                     const struct rsan_records *records) {
  twin->history = *history;
  twin->records = *records;
  twin->history.at = copy_of(history->at, history->count * sizeof *history->at);
  twin->records.at = copy_of(records->at, records->count * sizeof *records->at);
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
