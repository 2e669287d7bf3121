// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records (p, k, t) of one location: thread p had read or written version t by its epoch k
// (docs/internals/ALGORITHM.md section 2, observation 3). Each is made with the version that is
// newest then, so T_c is the first that the asker knows from the newest one back.
//
// Deviation from docs/internals/ALGORITHM.md section 2: docs/internals/MODEL.md section 3,
// number 10. And an older record of the same thread and epoch stays until the next collection: it
// is never found.

#ifndef RSAN_LC_RECORDS_H
#define RSAN_LC_RECORDS_H

#include <stdint.h>

#include "../base/stamp.h"
#include "../limits.h"

struct rsan_record {
  uint64_t epoch, version;
  uint32_t thread; // index
  // Used within a collection:
  uint32_t next : 12, previous : 12; // distance to the thread's next record, and back; 0: none
  uint32_t rank : 6;                 // number of later records of the thread, at most this many
  bool live : 1;
};
#define RSAN_RECORD_DISTANCE_MAX 4095u
#define RSAN_RECORD_RANK_MAX     63u
_Static_assert(RSAN_COLLECT_KEPT < RSAN_RECORD_RANK_MAX, "else all would be kept");
_Static_assert(sizeof(struct rsan_record) == 24, "some hundred bytes a location");

#define RSAN_RECORDS_FIRST 64u // bytes, for the first two

// The third and last cache line of a location begins with `base` (steps/types.h asserts it).
struct rsan_records {
  struct rsan_record *at; // NULL: room is 0
  uint64_t base;          // version that every thread knows, now and ever after
  uint32_t count, room;
};

// Notes that `thread` in `epoch` has read or written `version`, the newest.
void rsan_records_add(struct rsan_records *records, uint32_t thread, uint64_t epoch,
                      uint64_t version);

// Notes any version, in its order among the records of other versions: for an access that departs.
void rsan_records_insert(struct rsan_records *records, uint32_t thread, uint64_t epoch,
                         uint64_t version);

// T_c(x): the newest version that a thread with the happens-before view `c` knows.
static inline uint64_t rsan_records_known(const struct rsan_records *records,
                                          const struct rsan_stamp *c) {
  const struct rsan_record *at = records->at;
  for (uint32_t i = records->count; i-- > 0;)
    if (at[i].epoch <= rsan_stamp_get(c, at[i].thread))
      return at[i].version;
  return records->base;
}

// Is T_c(x) `newest`, the newest version of all?
static inline bool rsan_records_know(const struct rsan_records *records, const struct rsan_stamp *c,
                                     uint64_t newest) {
  const struct rsan_record *at = records->at;
  for (uint32_t i = records->count; i-- > 0 && at[i].version == newest;)
    if (at[i].epoch <= rsan_stamp_get(c, at[i].thread))
      return true;
  return records->base == newest;
}

// Nobody will ever know epoch `unseen` of the thread and not the next one: if the newest record is
// the thread's in `unseen`, it becomes one of the next epoch.
void rsan_records_advance(struct rsan_records *records, uint32_t thread, uint64_t unseen);

// The newest one: there is one.
static inline struct rsan_record *rsan_records_newest(const struct rsan_records *records) {
  return &records->at[records->count - 1];
}

// Returns how many records are of versions up to `version`. They come first.
static inline uint32_t rsan_records_up_to(const struct rsan_records *records, uint64_t version) {
  uint32_t count = 0;
  while (count < records->count && records->at[count].version <= version)
    count++;
  return count;
}

// If the newest record is the thread's in this epoch: the version above which, and below the
// newest, nobody's knowledge ends. UINT64_MAX otherwise.
uint64_t rsan_records_known_below(const struct rsan_records *records, uint32_t thread,
                                  uint64_t epoch);

// Shrinks the array, if it is larger, to one that holds the records there are and `wanted` ones.
void rsan_records_fit(struct rsan_records *records, uint32_t wanted);

// None, from version 0 on. Room for a few stays.
void rsan_records_restart(struct rsan_records *records);

void rsan_records_clear(struct rsan_records *records);

#endif
