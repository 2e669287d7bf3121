// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bounds of an exploration of all schedules (dpor.h), from small ones to those that are asked
// for: a level after another, each of which is an exploration of its own. Few preemptions come
// first, for most defects need few; then turns of loops, for most programs are as they are after
// few turns. A level at which nothing was cut is the last one.
//
// If the caller asks for it, fences commute at first, so the exploration does not enumerate their
// orders. If a finding may depend on their order, the level is explored once more with fences that
// depend on each other, and they do in all later levels.
//
// A loop that writes has no bound unless one is asked for, or an execution has had more steps than
// there may be. It has one from then on, which deepens as that of loops that read.

#ifndef RSAN_SCHEDULE_LEVELS_H
#define RSAN_SCHEDULE_LEVELS_H

#include <stdbool.h>
#include <stdint.h>

#include "dpor_state.h"

// In `unroll`: there is no bound of writes at one place. (In `preemptions`: RSAN_DPOR_UNBOUNDED.)
enum { RSAN_LEVEL_UNROLL_NONE = 0 };

struct rsan_level {
  uint32_t preemptions;
  uint32_t loop;    // turns of a loop that changes nothing (turns.h)
  uint32_t unroll;  // writes of a thread at one place (explored.h)
  uint32_t commute; // not 0: seq_cst fences do not depend on each other
};

// Which bounds have cut executions of a level. `steps`: an execution made too many steps. `fences`:
// a finding may depend on the order of fences that commuted.
struct rsan_level_cut {
  bool preemptions, loop, unroll, steps, fences;
};

// The first level on the way to `asked`, with at most `preemptions`.
struct rsan_level rsan_level_first(const struct rsan_level *asked, uint32_t preemptions);
// The next one, after all of `level` was explored, or as much as `cut->steps` needs. False: that
// was the last one.
bool rsan_level_next(struct rsan_level *level, const struct rsan_level *asked,
                     const struct rsan_level_cut *cut);

#endif
