// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The modification order of one location: its versions, oldest first.
//
// Version 0 is the value found at the first access; every thread knows it. Version n > 0 was left
// by the n-th analysed write. Versions may be missing (memory/collect.h): a check is then about a
// later one, visible to fewer threads, which may miss a violation and cannot invent one.

#ifndef RSAN_LC_HISTORY_H
#define RSAN_LC_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

#include "../event.h"
#include "../limits.h"

struct rsan_version {
  struct rsan_value overwrote; // value of the version before: what a stale access would find
  struct rsan_value wrote;
  uint64_t number;
  uint64_t sc_index; // the writer's own SC index at the write (compact clocks)
  uint32_t writer;   // thread index
  uint32_t owner;    // the host's number of the thread
  uint32_t site;     // the host's handle
  uint8_t order;     // enum rsan_order
  bool plain;        // a plain store, not a read-modify-write
  bool pinned;       // used within a collection
  uint8_t extent;    // where accesses have several sizes: the bytes that it wrote (engine/mixed.c)
};
_Static_assert(sizeof(struct rsan_version) == 64, "one cache line a version");

#define RSAN_VERSIONS_FIRST 128u // bytes, at the first write; an object that is only read has none

// The members that every write changes come first: a location's first cache line ends behind
// `value.low` (steps/types.h asserts it).
struct rsan_history {
  uint64_t newest;                 // number of the newest version
  uint64_t newest_plain;           // of the newest one that a plain store left; 0: none
  uint32_t count, room;            // versions that are kept, by rising number
  struct rsan_value value;         // of the newest version
  struct rsan_version *at;         // NULL: room is 0
  struct rsan_criticals *critical; // NULL: none
};

// The upper half is written only if it changes: it lies in a line that others have in their caches.
static inline void rsan_history_set_value(struct rsan_history *history, struct rsan_value value) {
  history->value.low = value.low;
  if (history->value.high != value.high)
    history->value.high = value.high;
}

// For history=bounded: conditions that a wait or BCAS has named or will name, the newest first.
struct rsan_criticals {
  uint32_t count;
  struct rsan_condition at[RSAN_CRITICAL_CONDITIONS];
};

static inline uint32_t rsan_history_criticals(const struct rsan_history *history) {
  return history->critical ? history->critical->count : 0;
}

// Appends the version that `access` (a write or read-modify-write) leaves.
void rsan_history_append(struct rsan_history *history, const struct rsan_access *access,
                         uint32_t writer, uint32_t owner, uint64_t sc_index);

// Drops the newest version, before the next one is appended, if no check will be about it: nobody's
// knowledge ends above `known_below` and below it, and a version in between matters wherever it
// does. (Conditions that no wait or BCAS has named yet aside.) Says whether it would drop later
// ones too, each before the next comes, as long as `known_below` stays.
enum rsan_fold {
  RSAN_FOLDS_NOTHING,
  RSAN_FOLDS_THIS,
  RSAN_FOLDS_READ_MODIFY_WRITES, // later ones that are no plain stores
  RSAN_FOLDS_ALL,
};
enum rsan_fold rsan_history_fold(struct rsan_history *history, uint64_t known_below);

// The predicate P of docs/internals/ALGORITHM.md section 2: would it break the access to miss this
// version?
bool rsan_history_matters(const struct rsan_version *version, const struct rsan_access *access);

// First kept version above `known`, and the first of those that matters to `access`. NULL: none.
const struct rsan_version *rsan_history_after_gaps(const struct rsan_history *history,
                                                   uint64_t known);
static inline const struct rsan_version *rsan_history_after(const struct rsan_history *history,
                                                            uint64_t known) {
  uint64_t above = history->newest - known; // versions above `known`, the dropped ones included
  if (above <= history->count && above > 0) {
    const struct rsan_version *guess = &history->at[history->count - above];
    if (guess->number == known + 1)
      return guess; // none is missing from here on
  }
  return rsan_history_after_gaps(history, known);
}
const struct rsan_version *rsan_history_first(const struct rsan_history *history, uint64_t known,
                                              const struct rsan_access *access);

// What a check says, by either kind of clocks.
struct rsan_verdict {
  const struct rsan_version *missed; // NULL: none
  uint64_t known;                    // the threshold that it was checked against
};

// One way in which the access may go wrong, and whether that is a seq_cst event.
struct rsan_branch {
  struct rsan_access access;
  bool seq_cst;
};

// A compare-exchange of which one branch is seq_cst goes wrong in one or the other: it fails by a
// value (a weak one by any), or succeeds and is overwritten. A blocking one only succeeds.
unsigned rsan_branches_of(const struct rsan_access *access, struct rsan_branch branches[2]);

// Notes that a wait or BCAS names `condition`.
void rsan_history_add_critical(struct rsan_history *history,
                               const struct rsan_condition *condition);

// Shrinks the array, if it is larger, to one that holds the versions there are and `wanted` ones.
void rsan_history_fit(struct rsan_history *history, uint32_t wanted);

// Starts over at version 0 with `value`. What is waited for stays, and room for a few versions.
void rsan_history_restart(struct rsan_history *history, struct rsan_value value);

void rsan_history_clear(struct rsan_history *history);

#endif
