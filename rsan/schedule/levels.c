// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "levels.h"

// The bounds of preemptions before none is bounded. The turns with which a bound of preemptions
// begins, and those of the first level without one; the most writes where no bound is asked for.
enum { PREEMPTIONS = 3, FEW_TURNS = 4, FEWEST_TURNS = 2, MOST_WRITES = 25 };

static uint32_t least(uint32_t a, uint32_t b) {
  return a < b ? a : b;
}

struct rsan_level rsan_level_first(const struct rsan_level *asked, uint32_t preemptions) {
  const uint32_t turns = preemptions == RSAN_DPOR_UNBOUNDED ? FEWEST_TURNS : FEW_TURNS;
  return (struct rsan_level){least(preemptions, asked->preemptions), least(turns, asked->loop),
                             asked->unroll, asked->commute};
}

static bool has_automatic_unroll(const struct rsan_level *level, const struct rsan_level *asked) {
  return asked->unroll == RSAN_LEVEL_UNROLL_NONE && level->unroll != RSAN_LEVEL_UNROLL_NONE;
}

static bool allow_preemptions(struct rsan_level *level, const struct rsan_level *asked) {
  if (level->preemptions >= asked->preemptions)
    return false;
  level->preemptions++;
  if (level->preemptions < PREEMPTIONS || asked->preemptions != RSAN_DPOR_UNBOUNDED)
    return true;
  level->preemptions = RSAN_DPOR_UNBOUNDED;
  level->loop = least(FEWEST_TURNS, asked->loop);
  if (has_automatic_unroll(level, asked))
    level->unroll = FEWEST_TURNS;
  return true;
}

static bool deepen(uint32_t *bound, uint32_t most) {
  if (*bound >= most)
    return false;
  *bound = least(2 * *bound, most);
  return true;
}

bool rsan_level_next(struct rsan_level *level, const struct rsan_level *asked,
                     const struct rsan_level_cut *cut) {
  if (cut->fences && level->commute) {
    level->commute = 0;
    return true;
  }
  if (cut->steps && level->unroll == RSAN_LEVEL_UNROLL_NONE) {
    level->unroll = FEWEST_TURNS;
    return true;
  }
  if (cut->preemptions && allow_preemptions(level, asked))
    return true;
  bool deepens = cut->loop && deepen(&level->loop, asked->loop);
  if (cut->unroll && has_automatic_unroll(level, asked))
    deepens |= deepen(&level->unroll, MOST_WRITES);
  return deepens;
}
