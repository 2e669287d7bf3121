// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Departures: docs/internals/DEPARTURES.md. An engine without the option `weak` allocates none of
// these structs and calls none of these functions.
//
// Deviation 1: Wp is kept of the RSAN_WEAK_VERSIONS versions before the newest one; older ones are
// no candidates.
// Deviation 2: D is a number, that of the departures which count in S, and a fence. What the events
// before a departure know of a location is what is recorded there when the number is first seen to
// have changed; and the newest SC fence before it stands for what all fences know (seqcst/view.h).
// So no thread reads another one's view of S. An event that takes place at another location while
// an access departs is before it, or after it in all that is after that event.
// Deviation 3: with bounded history S begins with the first seq_cst access, and the SC fences from
// before are before all else in it (steps/seqcst.h). What departs before that is in no D. Behind a
// fence it may only come before fences that were passed later: what happened before an earlier one
// is not above T_c. So no such step of S leads back.

#ifndef RSAN_WEAK_WEAK_H
#define RSAN_WEAK_WEAK_H

#include "../steps/types.h"

// The engine's part.
struct rsan_weak {
  _Atomic bool departed;
  _Atomic uint64_t in_s;      // departures that count in S
  struct rsan_lock lock;      // before `fence_lock`
  struct rsan_s_fence *fence; // newest one before the last such departure
};

// A version that is not the newest one any more.
struct rsan_weak_version {
  struct rsan_version next;  // the one that came after it: `overwrote` is its value
  struct rsan_stamp w;       // Wp: of happens-before,
  struct rsan_s_flows flows; // and of S
  bool taken;                // by a read-modify-write that departed
};

// A location's part.
struct rsan_weak_location {
  uint32_t count, room, oldest; // a ring, by rising number
  struct rsan_weak_version *at; // NULL: room is 0; those not in use have no clocks
  uint64_t in_s;                // of the engine, when the location was last accessed
  uint64_t known_in_s;          // newest version that an event of S before those departures knows
  uint64_t restarts;            // times that its history started over
};

static inline bool rsan_weak_departed(const struct rsan_engine *engine) {
  return engine->weak && atomic_load_explicit(&engine->weak->departed, memory_order_relaxed);
}

void rsan_weak_free(struct rsan_weak *weak); // NULL is allowed
void rsan_weak_location_free(struct rsan_weak_location *location);

// The location's history starts over.
void rsan_weak_restart(struct rsan_weak_location *location);

// An access that does not depart: `begin` before anything is recorded; of one that writes `keep`
// before W changes, and `append` when its version is the newest.
void rsan_weak_begin(const struct rsan_engine *engine, struct rsan_location *location);
void rsan_weak_keep(struct rsan_location *location);
void rsan_weak_append(struct rsan_location *location);

// The candidates: a pure question. `known` is T_c.
uint32_t rsan_weak_find(const struct rsan_thread *thread, const struct rsan_location *location,
                        const struct rsan_access *access,
                        struct rsan_candidate candidates[RSAN_CANDIDATES]);

// The access departs, to a candidate that was found in the same step.
void rsan_weak_make(struct rsan_thread *thread, struct rsan_location *location,
                    const struct rsan_access *given, const struct rsan_candidate *chosen);

#endif
