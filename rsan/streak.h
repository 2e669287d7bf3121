// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A streak: writes of one thread to one location, and nobody else has come there since. Each
// replaces the version before it in the history (rsan_history_fold), so the state of the location
// is the same after each but for the newest version and the thread's record of it. What says so is
// found once, and the writes after that only need to ask whether the streak goes on.
//
// Whatever else is done at the location ends it (rsan_streak_end).

#ifndef RSAN_STREAK_H
#define RSAN_STREAK_H

#include "engine_seqcst.h"
#include "engine_types.h"

// What a location says of its streak; 0: there is none.
//
//   31        4 3     1    0
//   +----------+-------+-------+
//   | thread   | order | plain |   of the newest write
//   +----------+-------+-------+
//
// A thread gets its number when it is made, and another with each owner that the host names: two
// have the same only if one has come 2^28 threads after the other.
#define RSAN_STREAK_THREAD 4u
_Static_assert(RSAN_SEQ_CST < 8, "three bits");

static inline uint32_t rsan_streak_of(uint32_t streaks, enum rsan_order order, bool plain) {
  return streaks | (uint32_t)order << 1 | plain;
}

static inline bool rsan_streak_is_of(const struct rsan_thread *thread,
                                     const struct rsan_location *location) {
  return (location->streak ^ thread->streaks) < 1u << RSAN_STREAK_THREAD;
}

static inline void rsan_streak_end(struct rsan_location *location) {
  location->streak = 0;
}

// After a write by the thread for which rsan_history_fold has said `fold`.
static inline void rsan_streak_begin(const struct rsan_thread *thread,
                                     struct rsan_location *location,
                                     const struct rsan_access *access, enum rsan_fold fold) {
  bool begins =
      fold == RSAN_FOLDS_ALL || (fold == RSAN_FOLDS_READ_MODIFY_WRITES && access->kind == RSAN_RMW);
  location->streak =
      begins ? rsan_streak_of(thread->streaks, access->order, access->kind == RSAN_WRITE) : 0;
  location->streak_takes_stores = fold == RSAN_FOLDS_ALL;
}

// Of the writer's record of the newest version, which is the newest record.
static inline uint64_t rsan_streak_epoch(const struct rsan_location *location) {
  return rsan_records_newest(&location->compact.records)->epoch;
}

// A write that replaces W, while W is what the thread published at the end of its last epoch and
// nobody has taken it: an epoch is published once, so nobody will ever know that one without this.
// (Relaxed writes publish the epoch of a release fence again and again, but make records of later
// ones. Epochs up to the floor anyone may know: engine_unseen.h.)
static inline bool rsan_hides_last_epoch(const struct rsan_thread *thread,
                                         const struct rsan_location *location,
                                         const struct rsan_access *access) {
  const struct rsan_stamp *w = &location->hb_w;
  bool replaces = access->kind == RSAN_WRITE ||
                  (access->kind == RSAN_RMW && rsan_order_releases(access->order));
  return replaces && !location->w_taken && w->thread == thread->hb.index &&
         w->index + 1 == rsan_hb_epoch(&thread->hb) &&
         w->index > rsan_index_epoch_floor(thread->hb.indices, thread->hb.index);
}

// Does the access continue the streak? Then it knows the newest version, so it misses none.
static inline bool rsan_streak_takes(const struct rsan_thread *thread,
                                     const struct rsan_location *location,
                                     const struct rsan_access *access) {
  uint64_t epoch = rsan_hb_epoch(&thread->hb);
  return rsan_streak_is_of(thread, location) &&
         (access->kind == RSAN_RMW ||
          (access->kind == RSAN_WRITE && location->streak_takes_stores)) &&
         access->check != RSAN_CHECK_WAIT && access->check != RSAN_CHECK_BCAS &&
         rsan_value_equal(location->history.value, access->seen) &&
         (rsan_streak_epoch(location) == epoch ||
          (rsan_streak_epoch(location) + 1 == epoch &&
           rsan_hides_last_epoch(thread, location, access))) &&
         rsan_seqcst_streak_takes(thread, location, access);
}

// What is noted of an access that continues the streak.
static inline void rsan_streak_go_on(struct rsan_thread *thread, struct rsan_location *location,
                                     const struct rsan_access *access) {
  RSAN_ASSERT(!thread->hb.still_since, "still before a write that goes on");
  uint64_t sc_index = rsan_compact_rewrite(&thread->sc, &location->compact);
  location->streak = rsan_streak_of(thread->streaks, access->order, access->kind == RSAN_WRITE);
  rsan_history_replace(&location->history, access, sc_index);
  rsan_records_renew(&location->compact.records, rsan_hb_epoch(&thread->hb),
                     location->history.newest);
  RSAN_COUNT_OWN(&thread->counters, folded_versions, 1);
}

#endif
