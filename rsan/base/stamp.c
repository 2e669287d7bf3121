// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "stamp.h"

#include "../host.h"
#include "../limits.h"

// Words of a snapshot for `entries`, its head included: a cache line, two, four, and from there on
// four sizes up to each power of two, as a host has blocks. There may be two at each location, and
// a clock of 33 threads need not be as large as one of 63.
static uint32_t words_for(uint32_t entries) {
  const uint32_t line = RSAN_CLOCK_MIN_ENTRIES + 1;
  uint32_t words = line, step = line;
  for (; words <= entries; words += step)
    if ((words & (words - 1)) == 0)
      step = words < 4 * line ? words : words / 4;
  return words;
}

static struct rsan_snapshot *snapshot_new(uint32_t entries) {
  _Static_assert(sizeof(struct rsan_snapshot) == sizeof(uint64_t), "the head is one entry");
  uint32_t words = words_for(entries);
  struct rsan_snapshot *snapshot = rsan_host_alloc(words * sizeof(uint64_t));
  atomic_init(&snapshot->references, 1);
  snapshot->size = words - 1;
  return snapshot;
}

void rsan_stamp_share(struct rsan_snapshot *base) {
  if (base)
    rsan_share(&base->references);
}

void rsan_stamp_unshare(struct rsan_snapshot *base) {
  if (base && rsan_unshare(&base->references))
    rsan_host_free(base);
}

void rsan_stamp_clear(struct rsan_stamp *clock) {
  rsan_stamp_unshare(clock->base);
  *clock = (struct rsan_stamp){0};
}

static uint32_t size_of(const struct rsan_stamp *clock) {
  uint32_t size = clock->base ? clock->base->size : 0;
  return clock->thread != RSAN_MERGED && clock->index && clock->thread >= size ? clock->thread + 1
                                                                               : size;
}

// Entries of the bases alone, those of two threads aside.
static bool base_is_at_least(const struct rsan_snapshot *base, const struct rsan_snapshot *from,
                             uint32_t one, uint32_t other) {
  uint32_t size = from ? from->size : 0, known = base ? base->size : 0;
  uint32_t both = size < known ? size : known, i = 0;
  for (; i < both; i++)
    if (from->entries[i] > base->entries[i] && i != one && i != other)
      return false;
  for (; i < size; i++)
    if (from->entries[i] && i != one && i != other)
      return false;
  return true;
}

bool rsan_stamp_is_at_least(const struct rsan_stamp *clock, const struct rsan_stamp *from) {
  return rsan_stamp_get(clock, from->thread) >= rsan_stamp_get(from, from->thread) &&
         rsan_stamp_get(clock, clock->thread) >= rsan_stamp_get(from, clock->thread) &&
         (clock->base == from->base ||
          base_is_at_least(clock->base, from->base, clock->thread, from->thread));
}

// Does the base of `clock` lack something that `from` has, its own entry aside? The entry beside
// the base first: it is what is new in most cases.
static bool lacks(const struct rsan_stamp *clock, const struct rsan_stamp *from) {
  if (from->thread != clock->thread && rsan_stamp_get(clock, from->thread) < from->index)
    return true;
  return clock->base != from->base &&
         !base_is_at_least(clock->base, from->base, clock->thread, from->thread);
}

// SSE2 has no comparison of 64-bit words: what clang makes of one takes longer than conditional
// moves.
static void max_entries(uint64_t *into, const uint64_t *a, const uint64_t *b, uint32_t count) {
#pragma clang loop vectorize(disable) unroll_count(4)
  for (uint32_t i = 0; i < count; i++)
    into[i] = rsan_max(a[i], b[i]);
}

// A base of its own that has all entries of `from` as well. The old one was shared or too small.
static void grow_by(struct rsan_stamp *clock, const struct rsan_stamp *from) {
  struct rsan_snapshot *old = clock->base;
  uint32_t old_size = old ? old->size : 0, from_size = from->base ? from->base->size : 0;
  uint32_t size = size_of(from);
  struct rsan_snapshot *own = snapshot_new(size > old_size ? size : old_size);
  uint32_t both = from_size < old_size ? from_size : old_size, i;
  if (both)
    max_entries(own->entries, old->entries, from->base->entries, both);
  for (i = both; i < old_size; i++)
    own->entries[i] = old->entries[i];
  for (; i < from_size; i++)
    own->entries[i] = from->base->entries[i];
  for (; i < own->size; i++)
    own->entries[i] = 0;
  clock->base = own;
  rsan_stamp_unshare(old);
}

static bool is_own(struct rsan_snapshot *base, uint32_t size) {
  return base && base->size >= size && !rsan_is_shared(&base->references);
}

// Pointwise maximum into the base, the entry beside that of `clock` aside.
static void fold(struct rsan_stamp *clock, const struct rsan_stamp *from) {
  if (!is_own(clock->base, size_of(from)))
    grow_by(clock, from);
  else if (from->base)
    max_entries(clock->base->entries, clock->base->entries, from->base->entries, from->base->size);
  if (from->thread == RSAN_MERGED || !from->index)
    return;
  uint64_t *entry = &clock->base->entries[from->thread];
  *entry = rsan_max(*entry, from->index);
}

bool rsan_stamp_join(struct rsan_stamp *clock, const struct rsan_stamp *from) {
  if (!lacks(clock, from))
    return false;
  fold(clock, from);
  return true;
}

static void become_merged(struct rsan_stamp *clock) {
  struct rsan_stamp whole = {.thread = RSAN_MERGED};
  if (clock->base || clock->index)
    fold(&whole, clock);
  rsan_stamp_clear(clock);
  *clock = whole;
}

void rsan_stamp_merge(struct rsan_stamp *into, const struct rsan_stamp *from) {
  if (into->thread != RSAN_MERGED)
    become_merged(into);
  if (lacks(into, from))
    fold(into, from);
}

void rsan_stamp_release(struct rsan_stamp *into, const struct rsan_stamp *from) {
  if (rsan_stamp_covers(into, from))
    return;
  if (rsan_stamp_covers(from, into))
    rsan_stamp_assign(into, from);
  else
    rsan_stamp_merge(into, from);
}

void rsan_stamp_raise(struct rsan_stamp *into, const struct rsan_stamp *from) {
  if (into->thread != RSAN_MERGED)
    become_merged(into);
  fold(into, &(struct rsan_stamp){.thread = from->thread, .index = from->index});
}
