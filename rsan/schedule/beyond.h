// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What comes beyond the bound of turns (turns.h): a run of an exploration has come to its end, and
// all that could go on are threads that have stopped for the bound. They do go on then, and none of
// it is noted, until one of them gets out of its loop. If none does, all of them turning so often
// that they will find nothing else, that is a livelock. (It is a bound, and no proof: a thread that
// counts its turns, and gives up after more of them, would get further.)
//
// Nobody writes meanwhile: the first step that would is not made. So it makes no difference in
// which order they go on. Each makes a few steps first, then more, since one may leave its loop at
// once while another one would turn for ever.

#ifndef RSAN_SCHEDULE_BEYOND_H
#define RSAN_SCHEDULE_BEYOND_H

#include <stdbool.h>
#include <stdint.h>

#include "dpor_state.h"
#include "turns.h"

// Turns of each thread that make a livelock; most steps of each, also if it finds something else
// each time.
enum { RSAN_BEYOND_TURNS = 10000, RSAN_BEYOND_STEPS = 1 << 16 };

struct rsan_beyond {
  bool began;
  bool left;        // one has got out of its loop, or did something else than turn
  uint64_t threads; // who goes on
  uint32_t number;  // whose turn it is
  uint32_t quota;   // steps of each, until it is the next one's
  struct {
    struct rsan_turns turns;
    uint32_t steps;
  } thread[RSAN_DPOR_THREADS];
};

void rsan_beyond_begin(struct rsan_beyond *b, uint64_t threads);

// Chooses the thread that makes the next step, from the set `ready`. RSAN_NO_THREAD: that is all.
uint32_t rsan_beyond_next(struct rsan_beyond *b, uint64_t ready);
// That step. False: it is not to be made.
bool rsan_beyond_make(struct rsan_beyond *b, const struct rsan_op *op);

// At the end: has none got out of its loop, for all that is known?
bool rsan_beyond_is_livelock(const struct rsan_beyond *b);

#endif
