// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A streak: one thread has written a location, nobody else has come there since, and its next write
// of the same kind and order would replace the newest version in the history (rsan_history_fold).
// So that write may be a repeated one (fast/again.h), which only changes the newest version and
// the thread's record of it.
//
// Whatever else is done at the location ends the streak (rsan_streak_end).

#ifndef RSAN_FAST_STREAK_H
#define RSAN_FAST_STREAK_H

#include "../steps/types.h"

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
}

// Of the writer's record of the newest version, which is the newest record.
static inline uint64_t rsan_streak_epoch(const struct rsan_location *location) {
  return rsan_records_newest(&location->compact.records)->epoch;
}

#endif
