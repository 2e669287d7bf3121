// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which records a clock reaches, for a collection, which asks that of every clock of every thread.
// A thread's records rise by epoch as by version, so a clock reaches them up to one, which its
// entry of the thread tells: none if it is below the oldest record's epoch, all if it is not below
// the newest's. The threads stand in the order of their newest records, the newest first: once a
// clock reaches a record, only threads with a newer one can matter.
//
// The obvious form (rsan_plain_...) compares every clock with every record. VERIFY builds look in
// both forms and compare what is kept.

#ifndef RSAN_MEMORY_REACH_H
#define RSAN_MEMORY_REACH_H

#include "../lc/records.h"

// With records of more threads, or farther apart than they can tell, the obvious form is taken.
#define RSAN_REACH_THREADS 64u
#define RSAN_REACH_SLOTS   (2 * RSAN_REACH_THREADS)

struct rsan_reach_thread {
  uint64_t oldest, newest; // epochs of its records
  uint32_t thread;
  uint32_t first, end; // places of the oldest, and after the newest
  uint32_t count;
  bool scattered; // among other threads' records
};

struct rsan_reach {
  _Alignas(16) uint8_t slots[RSAN_REACH_SLOTS]; // by thread: 1 + the place in `of`, or 0
  struct rsan_record *at;
  struct rsan_reach_thread of[RSAN_REACH_THREADS + 1]; // one more: the end, 0
};

// Links each record to its thread's next one, and marks it as needed by no clock so far. False: the
// caller must take the obvious form.
bool rsan_reach_begin(struct rsan_reach *reach, struct rsan_record *at, uint32_t count);

// A thread's happens-before clocks (race/hb.h), as they stand: their bases are not moving.
struct rsan_hb_clocks {
  const struct rsan_stamp *c, *a, *r;
};

// Marks as live the records that the clocks need (reach.c, plain_mark_live).
void rsan_reach_mark(const struct rsan_reach *reach, const struct rsan_hb_clocks *clocks);

// The same two, in the obvious form.
void rsan_plain_link(struct rsan_records *records);
void rsan_plain_mark(struct rsan_records *records, const struct rsan_hb_clocks *clocks);

#endif
