// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random runs in the engine's own terms (rsan/engine.h), for what traces have no words for: waits
// until other conditions than equality hold, objects of all sizes, values that no analysed write
// left, annotations, withdrawn locations, uncertain edges, threads that nobody joins.
//
// The explicit clocks say what the compact ones may. A write that is not seen is one of an extra
// thread there, which has acquired what all threads have done. What they say of a condition is held
// against its definition: a wait is flagged if the wait for one of the values that satisfy the
// condition is.

#ifndef RSAN_TESTS_FUZZ_CALLS_H
#define RSAN_TESTS_FUZZ_CALLS_H

#include <stdbool.h>
#include <stddef.h>

#include "event.h"

enum { CALLS_THREADS = 12, CALLS_LOCATIONS = 6, CALLS_SYNCS = 3, CALLS_MAX = 600 };

enum call_kind {
  CALL_ACCESS,    // by `check` and `kind`; a compare-exchange finds out itself which kind it is
  CALL_UNCHECKED, // the same, in code that is left out of the analysis
  CALL_FENCE,
  CALL_RELEASE,
  CALL_RELEASE_MERGE,
  CALL_ACQUIRE,
  CALL_ACQUIRE_LOCATION,
  CALL_WITHDRAW,
  CALL_TRACK,
  CALL_FOREIGN,    // something else writes the location
  CALL_UNSEEN,     // the same, and who acquires that value has all that was done so far
  CALL_EVERYTHING, // the thread acquires all that was done so far
  CALL_RENEW,      // the location is freed, and its address used again
  CALL_CREATE,
  CALL_FINISH,
  CALL_JOIN,
  CALL_FREE, // a thread that nobody joined
  CALL_KINDS
};

// One operation of a random run. A driver skips an operation that is not possible, for instance one
// of a thread that has finished.
struct call {
  enum call_kind kind;
  uint32_t thread, other; // other: the thread that is created, finished, joined or freed
  uint32_t object;        // location or sync object
  bool uncertain;         // edge
  enum rsan_order order;
  enum rsan_check check;
  enum rsan_access_kind access;
  uint32_t written; // number of a value (calls_value)
  struct rsan_condition condition;
};

struct calls {
  bool sleepers; // there are as many threads beside that indices are reused by force
  uint32_t roots;
  size_t count;
  struct call at[CALLS_MAX];
};

// Values of an object of that size: the first few, and those around the sign.
enum { CALLS_VALUES = 8 };
struct rsan_value calls_value(uint32_t size, uint32_t n);
uint32_t calls_size(uint32_t location);

void calls_make(uint64_t seed, struct calls *out);

struct calls_result {
  size_t accesses, conditions, flags, bounded_flags;
  size_t sole;            // accesses of sole threads, of all engines
  const char *difference; // NULL: none
  size_t at;              // the call where it is
};

struct calls_result calls_run(const struct calls *calls);
// Removes calls as long as there is a difference.
void calls_reduce(struct calls *calls);
void calls_print(const struct calls *calls);

#endif
