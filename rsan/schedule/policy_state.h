// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the policies (policy.h) are told, and what they keep between two choices.

#ifndef RSAN_SCHEDULE_POLICY_STATE_H
#define RSAN_SCHEDULE_POLICY_STATE_H

#include <stdint.h>

#include "draw.h"

#define RSAN_PCT_MAX_DEPTH 16

enum rsan_policy_name { RSAN_POLICY_RANDOM, RSAN_POLICY_PCT, RSAN_POLICY_POS, RSAN_POLICY_MIX };

struct rsan_policy_options {
  enum rsan_policy_name name;
  uint64_t seed;
  uint32_t switch_percent; // of random: 1 to 100; what is outside is taken for the nearest
  uint32_t depth;          // of pct: 1 to RSAN_PCT_MAX_DEPTH; the same
  uint64_t length;         // of pct: steps that the program makes; 0: not known
  uint32_t patience;       // of pct and pos: steps of a thread before it gives way; 0: any number
  uint32_t livelock;       // the bound of livelock.h; 0: none
};

struct rsan_pct {
  uint64_t change[RSAN_PCT_MAX_DEPTH]; // steps, the first is 1
  uint64_t window;                     // where the change points that are drawn end
  int64_t base;                        // of those that change points give
};

struct rsan_policy {
  struct rsan_policy_options options; // as they are used: without mix
  struct rsan_draw draw;
  struct rsan_pct pct;
  int64_t lowest; // of all priorities that were given to threads that give way
  uint64_t steps;
  uint64_t hurried; // times that a thread's patience was over
};

#endif
