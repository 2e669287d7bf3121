// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers that a seed decides: SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).

#ifndef RSAN_SCHEDULE_DRAW_H
#define RSAN_SCHEDULE_DRAW_H

#include <stdint.h>

struct rsan_draw {
  uint64_t state; // the seed; all values are good
};

static inline uint64_t rsan_draw(struct rsan_draw *draw) {
  uint64_t z = draw->state += 0x9E3779B97F4A7C15u;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
  z = (z ^ z >> 27) * 0x94D049BB133111EBu;
  return z ^ z >> 31;
}

// From 0 to count - 1.
static inline uint64_t rsan_draw_below(struct rsan_draw *draw, uint64_t count) {
  return (uint64_t)((unsigned __int128)rsan_draw(draw) * count >> 64);
}

#endif
