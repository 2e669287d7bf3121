// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A clock: a function from small integers to 64-bit numbers that is 0 almost everywhere.
//
// The explicit engine's location clocks (location -> version number) and the epochs of a cell's
// accesses by thread. (The thread-indexed clocks of the compact engine are stamps, base/stamp.h.) A
// zeroed clock is the empty clock and owns no memory; any other belongs to the struct that holds it
// and ends with rsan_clock_clear.

#ifndef RSAN_BASE_CLOCK_H
#define RSAN_BASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct rsan_clock {
  uint64_t *entries; // entries[size..] are 0
  uint32_t size;
};

static inline uint64_t rsan_clock_get(const struct rsan_clock *clock, uint32_t index) {
  return index < clock->size ? clock->entries[index] : 0;
}

void rsan_clock_set(struct rsan_clock *clock, uint32_t index, uint64_t value);
void rsan_clock_join(struct rsan_clock *into, const struct rsan_clock *from); // pointwise maximum
void rsan_clock_assign(struct rsan_clock *into, const struct rsan_clock *from);
void rsan_clock_clear(struct rsan_clock *clock);

static inline void rsan_clock_tick(struct rsan_clock *clock, uint32_t index) {
  rsan_clock_set(clock, index, rsan_clock_get(clock, index) + 1);
}

#endif
