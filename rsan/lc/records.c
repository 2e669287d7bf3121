// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "records.h"

#include "../host.h"

void rsan_records_add(struct rsan_records *records, uint32_t thread, uint64_t epoch,
                      uint64_t version) {
  if (version <= records->base)
    return;
  uint32_t count = records->count;
  if (count) {
    struct rsan_record *last = &records->at[count - 1];
    RSAN_ASSERT(last->version <= version, "records out of order");
    if (last->thread == thread && last->epoch == epoch) {
      last->version = version;
      return;
    }
  }
  if (count == records->room)
    records->at = rsan_grow(records->at, &records->room, sizeof *records->at, RSAN_RECORDS_FIRST);
  records->at[records->count++] =
      (struct rsan_record){.epoch = epoch, .version = version, .thread = thread};
}

void rsan_records_insert(struct rsan_records *records, uint32_t thread, uint64_t epoch,
                         uint64_t version) {
  if (version <= records->base)
    return;
  if (records->count == records->room)
    records->at = rsan_grow(records->at, &records->room, sizeof *records->at, RSAN_RECORDS_FIRST);
  uint32_t at = records->count++;
  for (; at > 0 && records->at[at - 1].version > version; at--)
    records->at[at] = records->at[at - 1];
  records->at[at] = (struct rsan_record){.epoch = epoch, .version = version, .thread = thread};
}

void rsan_records_advance(struct rsan_records *records, uint32_t thread, uint64_t unseen) {
  if (!records->count)
    return;
  struct rsan_record *last = rsan_records_newest(records);
  if (last->thread == thread && last->epoch == unseen)
    last->epoch++;
}

uint64_t rsan_records_known_below(const struct rsan_records *records, uint32_t thread,
                                  uint64_t epoch) {
  const struct rsan_record *at = records->at;
  uint32_t count = records->count;
  if (!count || at[count - 1].thread != thread || at[count - 1].epoch != epoch)
    return UINT64_MAX;
  return count > 1 ? at[count - 2].version : records->base;
}

void rsan_records_fit(struct rsan_records *records, uint32_t wanted) {
  records->at = rsan_fit(records->at, &records->room, records->count, sizeof *records->at,
                         RSAN_RECORDS_FIRST, wanted);
}

void rsan_records_restart(struct rsan_records *records) {
  if (records->room > RSAN_RESTART_KEPT_RECORDS)
    rsan_records_clear(records);
  records->base = records->count = 0;
}

void rsan_records_clear(struct rsan_records *records) {
  rsan_host_free(records->at);
  *records = (struct rsan_records){0};
}
