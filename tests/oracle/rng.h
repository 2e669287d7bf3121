// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// splitmix64: a stream is one 64-bit state, so every random object can be made
// again from its printed seed, on any machine.
#ifndef RSAN_TESTS_ORACLE_RNG_H
#define RSAN_TESTS_ORACLE_RNG_H

#include <stdbool.h>
#include <stdint.h>

struct rng {
  uint64_t state;
};

static inline uint64_t rng_next(struct rng *rng) {
  uint64_t z = rng->state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

// 0 .. n-1; n > 0. The bias of the high-product method is below n / 2^32.
static inline uint32_t rng_below(struct rng *rng, uint32_t n) {
  return (uint32_t)((rng_next(rng) >> 32) * n >> 32);
}

static inline uint32_t rng_between(struct rng *rng, uint32_t low, uint32_t high) {
  return low + rng_below(rng, high - low + 1);
}

static inline bool rng_percent(struct rng *rng, uint32_t percent) {
  return rng_below(rng, 100) < percent;
}

// The seed of the i-th object of a series.
static inline uint64_t rng_derive(uint64_t seed, uint64_t i) {
  struct rng rng = {seed ^ (i + 1) * 0xd1342543de82ef95u};
  return rng_next(&rng);
}

#endif
