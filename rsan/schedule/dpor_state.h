// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the exploration of all schedules (dpor.h) is told of a run, and what it keeps.

#ifndef RSAN_SCHEDULE_DPOR_STATE_H
#define RSAN_SCHEDULE_DPOR_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "dependence.h"

#define RSAN_DPOR_THREADS   64        // sets of threads are words
#define RSAN_DPOR_STEPS     (1 << 16) // an execution has fewer steps and choices
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

// The process that decides what is explored at a node. In a part of an exploration (dpor_shares.h),
// the process that has cut it decides of the nodes from which the part's prefixes begin, and of all
// above them.
enum rsan_dpor_owner {
  RSAN_DPOR_OWN,    // this process
  RSAN_DPOR_OTHERS, // the other one: the node only leads to those below it
  RSAN_DPOR_WANTED, // the other one, and the part has the prefix along `thread` or the chosen value
  RSAN_DPOR_BEGUN,  // the same, and a run along that prefix has been made
};

// A state at which some run has made a step, or has chosen a value: what leads there are the steps
// of its parents. It is kept while something is left to be explored at it or below it.
struct rsan_dpor_node {
  struct rsan_dpor_node *parent;        // NULL: the state before the first step
  struct rsan_dpor_step by;             // the parent's step that leads here
  uint32_t depth;                       // steps and choices before it
  uint32_t preemptions;                 // among them
  uint64_t enabled;                     // the threads that can proceed here
  uint64_t backtrack;                   // those explored here, or still to explore
  uint64_t cut;                         // those that the bound of preemptions forbids
  struct rsan_dpor_sleep sleep;         // before any step here, and what was explored here
  uint32_t choices, chosen;             // of a choice: values, and how many were begun
  bool known;                           // a run has been here: false of the first one before that
  bool asked;                           // a run along a new step from here is under way:
  uint32_t thread;                      // its thread
  uint32_t below;                       // nodes that have this one for parent
  uint8_t owner;                        // enum rsan_dpor_owner
  uint32_t number;                      // for dpor_save.c
  uint32_t origin, part;                // for dpor_shares.c
  uint64_t share;                       // for rsan_dpor_left
  struct rsan_dpor_node *older, *newer; // all nodes, parents before what is below them
};

// What a part asks of a node of which another process decides (rsan_dpor_demand): one of the
// threads `initial` has to be explored there, preferably `own`.
struct rsan_dpor_need {
  struct rsan_dpor_node *node;
  uint64_t initial, own;
};

struct rsan_dpor {
  uint32_t bound; // preemptions of a run; RSAN_DPOR_UNBOUNDED
  struct rsan_dpor_node *oldest, *newest, *spare;
  uint32_t asked;      // runs that are under way
  uint64_t executions; // all of them
  uint64_t asleep;     // given up as known
  uint64_t cut;        // given up, or not begun, for the bound
  uint64_t diverged;   // prefixes that the program did not follow
  uint64_t races;      // reversed
  uint64_t unmatched;  // reversals that no thread could begin: all threads are explored there
  struct rsan_dpor_need *need; // of a part; none is there twice
  uint32_t needs, need_room;
  // For the run that races.c looks at, by step: the state before the step, its clock, and how many
  // steps its thread had made with it.
  struct rsan_dpor_node **path;
  uint32_t *clock, *place;
  uint32_t room, clock_room;
};

// What is left to be explored, as far as it is known.
struct rsan_dpor_left {
  uint64_t prefixes;
  // Its share of all, in millionths, if there is as much behind each step from a state. Races that
  // are not found yet make it larger.
  uint32_t share;
};

#endif
