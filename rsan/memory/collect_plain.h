// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The obvious form of a collection's look at the clocks (collect.h): every clock is compared with
// every record. VERIFY builds look in both forms and compare what is kept. Where a location has
// records of very many threads (reach.h) this form is the only one.

#ifndef RSAN_MEMORY_COLLECT_PLAIN_H
#define RSAN_MEMORY_COLLECT_PLAIN_H

#include "../lc/history.h"
#include "../lc/records.h"
#include "reach.h"

// Tells each record of its thread's next one, and that no clock needs it so far.
void rsan_plain_link(struct rsan_records *records);

// Marks as live the records that the thread's clocks need.
void rsan_plain_mark(struct rsan_records *records, const struct rsan_hb_clocks *clocks);

// For VERIFY builds: copies of which the obvious form says what the clocks need.
struct rsan_twin {
  struct rsan_history history;
  struct rsan_records records;
};
void rsan_twin_begin(struct rsan_twin *twin, const struct rsan_history *history,
                     const struct rsan_records *records);
bool rsan_twin_equals(const struct rsan_twin *twin, const struct rsan_history *history,
                      const struct rsan_records *records);
void rsan_twin_end(struct rsan_twin *twin);

#endif
