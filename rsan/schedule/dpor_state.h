// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the exploration of all schedules (dpor.h) is told of a run, and what it keeps.

#ifndef RSAN_SCHEDULE_DPOR_STATE_H
#define RSAN_SCHEDULE_DPOR_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "dependence.h"

#define RSAN_DPOR_THREADS   64 // sets of threads are words
#define RSAN_DPOR_UNBOUNDED UINT32_MAX

// Threads have the same number in each run in which they are, whoever is created first.
struct rsan_dpor_step {
  struct rsan_op op;
  uint64_t enabled; // the threads that could proceed
  uint32_t thread;
  uint32_t choices; // not 0: no step, but the choice of one of that many
  uint32_t choice;
};

enum rsan_dpor_end {
  RSAN_DPOR_ENDED,  // nobody could proceed any more, or the program ended
  RSAN_DPOR_ASLEEP, // all that could proceed slept
  RSAN_DPOR_CUT,    // it would have needed more than a bound allows
};

struct rsan_dpor_trace {
  const struct rsan_dpor_step *step;
  uint32_t count;
  // What the threads that had not ended were about to do; not those that nobody has woken.
  const struct rsan_dpor_step *pending;
  uint32_t pending_count;
  enum rsan_dpor_end end;
};

struct rsan_dpor_sleeper {
  struct rsan_op op;
  uint32_t thread;
};

struct rsan_dpor_sleep {
  struct rsan_dpor_sleeper *sleeper;
  uint32_t count, room;
  uint64_t set;
};

// A step of the newest run.
struct rsan_dpor_node {
  struct rsan_dpor_step step;
  uint64_t backtrack;           // to be explored here, or explored
  struct rsan_dpor_sleep sleep; // before the step; also what was explored here
  uint32_t preemptions;         // with this step
};

struct rsan_dpor {
  uint32_t bound; // preemptions of a run; RSAN_DPOR_UNBOUNDED
  struct rsan_dpor_node *node;
  uint32_t count, room; // after rsan_dpor_next: the prefix
  bool began;
  uint64_t executions; // all of them
  uint64_t asleep;     // given up as known
  uint64_t cut;        // given up, or not begun, for the bound
  uint64_t diverged;   // prefixes that the program did not follow
  uint64_t races;      // reversed
  uint64_t unmatched;  // reversals that no thread could begin: all threads are explored there
  // Of the newest run (races.c).
  uint32_t *clock, *place;
  uint32_t clock_room, place_room;
};

#endif
