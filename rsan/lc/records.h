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
  uint64_t epoch, version;
};

struct rsan_record_list {
  uint32_t thread; // index
  uint32_t count, room;
  struct rsan_record *at;
};

struct rsan_records {
  struct rsan_record_list *lists;
  uint32_t count, room;
};

// Notes that `thread` in `epoch` has read or written `version`.
void rsan_records_add(struct rsan_records *records, uint32_t thread, uint64_t epoch,
                      uint64_t version);

// T_c(x): the newest version that a thread with the happens-before view `c` knows; 0 if none.
uint64_t rsan_records_known(const struct rsan_records *records, const struct rsan_clock *c);

void rsan_records_clear(struct rsan_records *records);

#endif
