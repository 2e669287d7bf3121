// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who knew which version of one location when: for each thread, (epoch, version) pairs, both
// strictly increasing. A pair (k, t) of thread p says that p had read or written version t by its
// epoch k. Whoever knows epoch k of p by happens-before therefore knows version t (algorithm
// section 3, observation iii).

#ifndef RSAN_LC_RECORDS_H
#define RSAN_LC_RECORDS_H

#include <stdint.h>

#include "../clock.h"

struct rsan_record {
  uint64_t epoch;
  uint64_t version : 63;
  uint64_t live : 1; // used within a collection
};

struct rsan_record_list {
  uint32_t thread; // index
  uint32_t count, room;
  uint64_t epoch, version; // those of at[count - 1], here for the sake of the cache
  struct rsan_record *at;
};

struct rsan_records {
  uint64_t base;                  // version that every thread knows, now and ever after
  struct rsan_record_list *lists; // none of them empty
  uint32_t count, room;
  uint64_t total; // records in all lists
};

// Notes that `thread` in `epoch` has read or written `version`.
void rsan_records_add(struct rsan_records *records, uint32_t thread, uint64_t epoch,
                      uint64_t version);

// The newest record of the list whose epoch is not above `epoch`; NULL: none.
struct rsan_record *rsan_records_find(const struct rsan_record_list *list, uint64_t epoch);

// T_c(x): the newest version that a thread with the happens-before view `c` knows.
uint64_t rsan_records_known(const struct rsan_records *records, const struct rsan_clock *c);

void rsan_records_clear(struct rsan_records *records);

#endif
