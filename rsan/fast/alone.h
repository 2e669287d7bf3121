// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes of the thread that made the newest record of the location, if no other thread has changed
// the location since. Such a write teaches the thread nothing:
//
//   check     finds no missed version, because the thread knows the newest one by its own record
//   VS        already has WS, which the thread left, and MS, which equals WS
//   W         was left by the thread, so the write acquires nothing
//
// So the write adds a version and a record, and replaces WS and W. The whole access is made in its
// place if the order is seq_cst, if a version may be folded, or if the arrays have no room before
// the next collection. rsan/fast/again.h has the write that replaces the newest version in place.

#ifndef RSAN_FAST_ALONE_H
#define RSAN_FAST_ALONE_H

#include "../steps/note.h"
#include "../steps/seqcst.h"
#include "../steps/types.h"

// Is W the thread's own? What is asked first, of data that every access needs.
static inline bool rsan_alone_has_w(const struct rsan_thread *thread,
                                    const struct rsan_location *location) {
  return location->hb_w.thread == thread->hb.index;
}

// Has the thread made the newest record, in an epoch before the last one that it released, and is W
// its own? (Else a version may be folded, or a record become one of another epoch.)
static inline bool rsan_alone_is_last(const struct rsan_thread *thread,
                                      const struct rsan_location *location) {
  const struct rsan_stamp *w = &location->hb_w;
  const struct rsan_records *records = &location->compact.records;
  uint32_t index = thread->hb.index;
  uint64_t epoch = rsan_hb_epoch(&thread->hb);
  if (!rsan_alone_has_w(thread, location) || w->index + 1 == epoch ||
      w->index <= rsan_index_epoch_floor(thread->hb.indices, index) || !records->count)
    return false;
  const struct rsan_record *last = rsan_records_newest(records);
  return last->thread == index && last->version == location->history.newest && last->epoch != epoch;
}

// Is the write such a one? A pure question, for C11's compact clocks.
static inline bool rsan_alone_applies(const struct rsan_thread *thread,
                                      const struct rsan_location *location,
                                      const struct rsan_access *access) {
  const struct rsan_history *history = &location->history;
  const struct rsan_records *records = &location->compact.records;
  return rsan_alone_is_last(thread, location) && location->started &&
         rsan_value_equal(history->value, access->seen) && !rsan_asks_of_value(access->check) &&
         !rsan_seqcst_concerns(access) && history->count < history->room &&
         records->count < records->room &&
         history->count + records->count + 2 + rsan_seqcst_entries(location) <
             location->collect_at &&
         rsan_compact_is_written_last(&location->compact) &&
         location->compact.w.thread == thread->hb.index;
}

// Makes it, but for S.
void rsan_alone_write(struct rsan_thread *thread, struct rsan_location *location,
                      const struct rsan_access *access);

// All of the access but for the note, if it applies; or nothing.
bool rsan_alone_try(struct rsan_thread *thread, struct rsan_location *location,
                    const struct rsan_access *access);

// The same with the note.
static inline bool rsan_access_alone(struct rsan_thread *thread, struct rsan_location *location,
                                     const struct rsan_access *access) {
  if (access->kind == RSAN_READ || !rsan_alone_has_w(thread, location) ||
      access->order == RSAN_SEQ_CST || !rsan_alone_try(thread, location, access))
    return false;
  rsan_note_access(thread, location, access);
  return true;
}

#endif
