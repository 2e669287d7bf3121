// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "clock.h"

#include "../host.h"

static void make_room(struct rsan_clock *clock, uint32_t entries) {
  if (entries)
    clock->entries =
        rsan_make_room(clock->entries, &clock->size, entries - 1, sizeof *clock->entries);
}

void rsan_clock_set(struct rsan_clock *clock, uint32_t index, uint64_t value) {
  make_room(clock, index + 1);
  clock->entries[index] = value;
}

void rsan_clock_join(struct rsan_clock *into, const struct rsan_clock *from) {
  make_room(into, from->size);
  for (uint32_t i = 0; i < from->size; i++)
    if (from->entries[i] > into->entries[i])
      into->entries[i] = from->entries[i];
}

void rsan_clock_assign(struct rsan_clock *into, const struct rsan_clock *from) {
  make_room(into, from->size);
  for (uint32_t i = 0; i < into->size; i++)
    into->entries[i] = rsan_clock_get(from, i);
}

void rsan_clock_clear(struct rsan_clock *clock) {
  rsan_host_free(clock->entries);
  clock->entries = 0;
  clock->size = 0;
}

void rsan_clocks_join(struct rsan_clock *into, const struct rsan_clock *from, size_t count) {
  for (size_t i = 0; i < count; i++)
    rsan_clock_join(&into[i], &from[i]);
}

void rsan_clocks_assign(struct rsan_clock *into, const struct rsan_clock *from, size_t count) {
  for (size_t i = 0; i < count; i++)
    rsan_clock_assign(&into[i], &from[i]);
}

void rsan_clocks_clear(struct rsan_clock *clocks, size_t count) {
  for (size_t i = 0; i < count; i++)
    rsan_clock_clear(&clocks[i]);
}

void rsan_clocks_free(struct rsan_clock *clocks, size_t count) {
  if (clocks)
    rsan_clocks_clear(clocks, count);
  rsan_host_free(clocks);
}
