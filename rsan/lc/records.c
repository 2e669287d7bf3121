// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "records.h"

#include "../host.h"

static void grow_records(struct rsan_records *records) {
  uint32_t room = records->heap ? records->room : RSAN_RECORDS_INLINE;
  if (records->count < room)
    return;
  struct rsan_record *grown = rsan_host_alloc(2 * room * sizeof *grown);
  const struct rsan_record *at = rsan_records_see(records);
  for (uint32_t i = 0; i < records->count; i++)
    grown[i] = at[i];
  rsan_host_free(records->heap);
  records->heap = grown;
  records->room = 2 * room;
}

void rsan_records_add(struct rsan_records *records, uint32_t thread, uint64_t epoch,
                      uint64_t version) {
  if (version <= records->base)
    return;
  struct rsan_record *last = records->count ? &rsan_records_at(records)[records->count - 1] : 0;
  RSAN_ASSERT(!last || last->version <= version, "records out of order");
  if (last && last->thread == thread && last->epoch == epoch) {
    last->version = version;
    return;
  }
  grow_records(records);
  rsan_records_at(records)[records->count++] =
      (struct rsan_record){.epoch = epoch, .version = version, .thread = thread};
}

void rsan_records_advance(struct rsan_records *records, uint32_t thread, uint64_t unseen) {
  if (!records->count)
    return;
  struct rsan_record *last = &rsan_records_at(records)[records->count - 1];
  if (last->thread == thread && last->epoch == unseen)
    last->epoch++;
}

uint64_t rsan_records_known_below(const struct rsan_records *records, uint32_t thread,
                                  uint64_t epoch) {
  const struct rsan_record *at = rsan_records_see(records);
  uint32_t count = records->count;
  if (!count || at[count - 1].thread != thread || at[count - 1].epoch != epoch)
    return UINT64_MAX;
  return count > 1 ? at[count - 2].version : records->base;
}

void rsan_records_clear(struct rsan_records *records) {
  rsan_host_free(records->heap);
  *records = (struct rsan_records){0};
}
