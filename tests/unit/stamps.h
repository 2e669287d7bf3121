// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For tests that say outright what a clock has, where in a run it would have come by events, and
// for those that look at all of its entries.

#ifndef STAMPS_H
#define STAMPS_H

#include "unit.h"

#include "base/stamp.h"

// Gives `clock` one entry, be it above or below what was there. Others that share its base keep
// theirs.
static inline void stamp_set(struct rsan_stamp *clock, uint32_t thread, uint64_t value) {
  if (thread == clock->thread) {
    clock->index = value;
    return;
  }
  struct rsan_stamp changed = {.thread = clock->thread, .index = clock->index};
  uint32_t size = clock->base && clock->base->size > thread ? clock->base->size : thread + 1;
  for (uint32_t i = 0; i < size; i++) {
    struct rsan_stamp entry = {.thread = i};
    entry.index = i == thread ? value : rsan_stamp_get(clock, i);
    rsan_stamp_join(&changed, &entry);
  }
  rsan_stamp_clear(clock);
  *clock = changed;
}

enum { STAMPS_ENTRIES = 40 }; // more than any clock in a test has

// Are the first entries these, and all others 0?
static inline void stamps_expect(const struct rsan_stamp *clock, const uint64_t *entries,
                                 uint32_t count) {
  for (uint32_t i = 0; i < STAMPS_ENTRIES; i++)
    assert_int_equal(rsan_stamp_get(clock, i), i < count ? entries[i] : 0);
}
#define STAMPS_EXPECT(clock, ...)                                                                  \
  stamps_expect(clock, (uint64_t[]){__VA_ARGS__},                                                  \
                sizeof((uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

#endif
