// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "budget.h"

#include "../host.h"

void rsan_budget_init(struct rsan_budget *budget, uint32_t bytes, uint32_t most) {
  const uint32_t least = 4, two = sizeof(struct rsan_version) + sizeof(struct rsan_record);
  uint32_t entries = 2 * (bytes / two);
  budget->entries = bytes && entries < least ? least : entries;
  budget->most = most;
}

// The version above which no more than `kept` versions, and records of them, are left.
static uint64_t base_for(const struct rsan_history *history, const struct rsan_records *records,
                         uint32_t kept) {
  uint64_t base = records->base;
  if (history->count > kept)
    base = rsan_max(base, history->at[history->count - kept - 1].number);
  if (records->count > kept)
    base = rsan_max(base, records->at[records->count - kept - 1].version);
  return base;
}

void rsan_budget_cut(uint32_t entries, struct rsan_history *history, struct rsan_records *records,
                     struct rsan_counters *counters) {
  uint64_t base = base_for(history, records, entries / 4);
  uint32_t versions = 0, known = rsan_records_up_to(records, base);
  while (versions < history->count && history->at[versions].number <= base)
    versions++;
  records->base = base;
  records->count -= known;
  rsan_host_memmove(records->at, records->at + known, records->count * sizeof *records->at);
  history->count -= versions;
  rsan_host_memmove(history->at, history->at + versions, history->count * sizeof *history->at);
  rsan_history_fit(history, entries / 2);
  rsan_records_fit(records, entries / 2);
  RSAN_ADD(counters, merged_records, known);
  RSAN_ADD(counters, dropped_versions, versions);
  RSAN_COUNT(counters, cut_histories);
}
