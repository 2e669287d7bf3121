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

#include "../host.h"
#include "../lc/records.h"

// Records of more threads than that need a block of the heap.
#define RSAN_REACH_THREADS 32u
#define RSAN_REACH_SLOTS   (2 * RSAN_REACH_THREADS)

struct rsan_reach_thread {
  uint64_t oldest, newest; // epochs of its records
  uint32_t thread;
  uint32_t first, end; // places of the oldest, and after the newest
  uint32_t count;
  bool scattered; // among other threads' records
};

// The tables of few threads are in the structure itself. Those of many threads are in a block.
struct rsan_reach {
  struct rsan_record *at;
  void *block;                  // null: the threads are few; else the next four are in it
  uint32_t last;                // slot; a power of 2, less 1: half of the slots are used
  uint16_t *slots;              // by thread: 1 + the place in `of`, or 0
  struct rsan_reach_thread *of; // by half of the slots, and one more: the end, 0
  uint32_t *passed;             // half of the slots, for one clock at a time (reach.c)
  _Alignas(16) uint16_t few_slots[RSAN_REACH_SLOTS];
  struct rsan_reach_thread few[RSAN_REACH_THREADS + 1];
  uint32_t few_passed[RSAN_REACH_THREADS];
};

enum rsan_reach_form { RSAN_REACH_NONE, RSAN_REACH_FEW, RSAN_REACH_MANY };

// Links each record to its thread's next one, and marks it as needed by no clock so far. NONE: the
// records are farther apart than they can tell, and the caller must take the obvious form. Call
// rsan_reach_end in any case.
enum rsan_reach_form rsan_reach_begin(struct rsan_reach *reach, struct rsan_record *at,
                                      uint32_t count);
static inline void rsan_reach_end(struct rsan_reach *reach) {
  if (reach->block)
    rsan_host_free(reach->block);
}

// A thread's happens-before clocks (race/hb.h), as they stand: their bases are not moving.
struct rsan_hb_clocks {
  const struct rsan_stamp *c, *a, *r;
};

// Marks as live the records that the clocks need (reach.c, plain_mark_live), for few threads.
void rsan_reach_mark(struct rsan_reach *reach, const struct rsan_hb_clocks *clocks);
// The same for many threads.
void rsan_reach_mark_many(struct rsan_reach *reach, const struct rsan_hb_clocks *clocks);

// The same two, in the obvious form.
void rsan_plain_link(struct rsan_records *records);
void rsan_plain_mark(struct rsan_records *records, const struct rsan_hb_clocks *clocks);

#endif
