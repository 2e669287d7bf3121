// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Explicit clocks: the paper's appendix A as corrected (docs/internals/ALGORITHM.md section 1),
// literally. Slow and obvious: the reference that the compact clocks are held equal to. Families,
// each with its ^R twin that counts plain writes only:
//
//            thread            location
//   HB       Tc, Ta, Tr        W          happens-before (current, acquire, release; write)
//   SC       T_SC              M, W       what every SC run orders (all accesses; newest write)
//   value    T_val             M, W       the same for versions that were overwritten, by value
//
// Deviations: docs/internals/MODEL.md section 3, number 8. A pair (location, value) gets a number
// of its own at its first appearance, so that a value clock is a clock like the others.

#ifndef RSAN_LC_EXPLICIT_H
#define RSAN_LC_EXPLICIT_H

#include "../base/clock.h"
#include "../event.h"
#include "../memorder.h"

// One family with its ^R twin: [0] counts all writes, [1] plain writes.
enum { RSAN_ALL, RSAN_PLAIN, RSAN_FAMILIES };
typedef struct rsan_clock rsan_family[RSAN_FAMILIES];

struct rsan_explicit_thread {
  rsan_family c, a, r, sc, value;
};

// M and W of one of the SC-like families.
struct rsan_explicit_flow {
  struct rsan_clock m, w;
};

struct rsan_explicit_location {
  uint32_t id; // in the location clocks
  rsan_family w;
  struct rsan_explicit_flow sc[RSAN_FAMILIES], value[RSAN_FAMILIES];
  struct rsan_explicit_value {
    struct rsan_value value;
    uint32_t id; // of (location, value) in the value clocks
  } *values;
  uint32_t value_count, value_room;
};

// A mutex or a finished thread: copies of the thread's clocks.
struct rsan_explicit_sync {
  rsan_family c, sc, value;
};

// The check: a pure function; true: violation. `known`: what it may not miss, by family. That is
// T_c(x), or more (seqcst/explicit.h).
bool rsan_explicit_check(const struct rsan_explicit_thread *thread,
                         const struct rsan_explicit_location *location,
                         const struct rsan_access *access, const uint64_t known[RSAN_FAMILIES]);

// `next_id` counts the (location, value) pairs.
void rsan_explicit_update(struct rsan_explicit_thread *thread,
                          struct rsan_explicit_location *location, const struct rsan_access *access,
                          _Atomic uint32_t *next_id);

// `f` is the clock W (both families) of the SC fences' location: happens-before only. NULL: they
// have none, as in C++20.
void rsan_explicit_fence(struct rsan_explicit_thread *thread, enum rsan_order order,
                         struct rsan_clock f[RSAN_FAMILIES]);

// The thread acquires W.
void rsan_explicit_acquire_location(struct rsan_explicit_thread *thread,
                                    const struct rsan_explicit_location *location);
// The location has no versions yet, and another number. W stays.
void rsan_explicit_location_restart(struct rsan_explicit_location *location, uint32_t id);

// The sync object joins the thread's clocks; a thread acquires them.
// `hb_only` leaves the SC clocks alone (pairings that are not certain).
void rsan_explicit_release(const struct rsan_explicit_thread *thread,
                           struct rsan_explicit_sync *sync, bool hb_only);
void rsan_explicit_acquire(struct rsan_explicit_thread *thread,
                           const struct rsan_explicit_sync *sync, bool hb_only);

// (Threads and sync objects are nothing but clocks: base/clock.h clears them.)
void rsan_explicit_location_clear(struct rsan_explicit_location *location);

#endif
