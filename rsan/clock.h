// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A clock: a function from small integers to 64-bit numbers that is 0 almost everywhere.
//
// The compact engine indexes its clocks by thread (epochs, SC indices), the explicit one by
// location (version numbers). Both need only these verbs. A zeroed clock is the empty clock and
// owns no memory; any other belongs to the struct that holds it and ends with rsan_clock_clear.

#ifndef RSAN_CLOCK_H
#define RSAN_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "lock.h"

struct rsan_clock {
  uint64_t *entries; // entries[size..] are 0
  uint32_t size;
  struct rsan_lock growing; // held while entries and size change
};

static inline uint64_t rsan_clock_get(const struct rsan_clock *clock, uint32_t index) {
  return index < clock->size ? clock->entries[index] : 0;
}

// For a thread that does not own the clock, with `growing` held: the value now or one from before.
// The owner writes entries without a lock; an aligned 64-bit word is not torn on x86-64.
static inline uint64_t rsan_clock_peek(const struct rsan_clock *clock, uint32_t index) {
  return index < clock->size ? __atomic_load_n(&clock->entries[index], __ATOMIC_RELAXED) : 0;
}

void rsan_clock_set(struct rsan_clock *clock, uint32_t index, uint64_t value);
void rsan_clock_join(struct rsan_clock *into, const struct rsan_clock *from); // pointwise maximum
void rsan_clock_assign(struct rsan_clock *into, const struct rsan_clock *from);
void rsan_clock_clear(struct rsan_clock *clock);
bool rsan_clock_covers(const struct rsan_clock *clock, const struct rsan_clock *other);

static inline void rsan_clock_tick(struct rsan_clock *clock, uint32_t index) {
  rsan_clock_set(clock, index, rsan_clock_get(clock, index) + 1);
}

#endif
