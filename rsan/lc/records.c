// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "records.h"

#include "../host.h"

static struct rsan_record_list *list_of(struct rsan_records *records, uint32_t thread) {
  for (uint32_t i = 0; i < records->count; i++)
    if (records->lists[i].thread == thread)
      return &records->lists[i];
  if (records->count == records->room) {
    uint32_t room = records->room ? records->room * 2 : 2;
    struct rsan_record_list *grown = rsan_host_alloc(room * sizeof *grown);
    for (uint32_t i = 0; i < records->count; i++)
      grown[i] = records->lists[i];
    rsan_host_free(records->lists);
    records->lists = grown;
    records->room = room;
  }
  struct rsan_record_list *list = &records->lists[records->count++];
  *list = (struct rsan_record_list){.thread = thread};
  return list;
}

static void append(struct rsan_record_list *list, struct rsan_record record) {
  if (list->count == list->room) {
    uint32_t room = list->room ? list->room * 2 : 2;
    struct rsan_record *grown = rsan_host_alloc(room * sizeof *grown);
    for (uint32_t i = 0; i < list->count; i++)
      grown[i] = list->at[i];
    rsan_host_free(list->at);
    list->at = grown;
    list->room = room;
  }
  list->at[list->count++] = record;
}

void rsan_records_add(struct rsan_records *records, uint32_t thread, uint64_t epoch,
                      uint64_t version) {
  if (version <= records->base)
    return;
  struct rsan_record_list *list = list_of(records, thread);
  if (list->count && list->version == version)
    return;
  struct rsan_record *last = list->count ? &list->at[list->count - 1] : 0;
  RSAN_ASSERT(!last || (last->version < version && last->epoch <= epoch), "records out of order");
  list->version = version;
  list->epoch = epoch;
  if (last && last->epoch == epoch) {
    last->version = version;
    return;
  }
  append(list, (struct rsan_record){.epoch = epoch, .version = version});
  records->total++;
}

struct rsan_record *rsan_records_find(const struct rsan_record_list *list, uint64_t epoch) {
  if (list->at[list->count - 1].epoch <= epoch)
    return &list->at[list->count - 1];
  uint32_t low = 0, high = list->count; // at[..low] are known, at[high..] are not
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (list->at[middle].epoch <= epoch)
      low = middle + 1;
    else
      high = middle;
  }
  return low ? &list->at[low - 1] : 0;
}

uint64_t rsan_records_known(const struct rsan_records *records, const struct rsan_clock *c) {
  uint64_t known = records->base;
  for (uint32_t i = 0; i < records->count; i++) {
    const struct rsan_record_list *list = &records->lists[i];
    if (list->version <= known)
      continue;
    uint64_t epoch = rsan_clock_get(c, list->thread);
    if (list->epoch <= epoch) {
      known = list->version;
      continue;
    }
    const struct rsan_record *record = rsan_records_find(list, epoch);
    if (record && record->version > known)
      known = record->version;
  }
  return known;
}

void rsan_records_clear(struct rsan_records *records) {
  for (uint32_t i = 0; i < records->count; i++)
    rsan_host_free(records->lists[i].at);
  rsan_host_free(records->lists);
  *records = (struct rsan_records){0};
}
