// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "stamp.h"

#include "host.h"
#include "limits.h"

static struct rsan_snapshot *snapshot_new(uint32_t entries) {
  uint32_t size = RSAN_CLOCK_MIN_ENTRIES;
  while (size < entries)
    size = size * 2 + 1; // with the head: a power of two again
  _Static_assert(sizeof(struct rsan_snapshot) == sizeof(uint64_t), "the head is one entry");
  struct rsan_snapshot *snapshot = rsan_host_alloc(sizeof *snapshot + size * sizeof(uint64_t));
  atomic_init(&snapshot->references, 1);
  snapshot->size = size;
  return snapshot;
}

void rsan_stamp_share(struct rsan_snapshot *base) {
  if (base)
    atomic_fetch_add_explicit(&base->references, 1, memory_order_relaxed);
}

// The last holder need not count down: nobody else can get at the snapshot.
static bool is_shared(struct rsan_snapshot *base) {
  return atomic_load_explicit(&base->references, memory_order_acquire) != 1;
}

void rsan_stamp_unshare(struct rsan_snapshot *base) {
  if (base && (!is_shared(base) ||
               atomic_fetch_sub_explicit(&base->references, 1, memory_order_acq_rel) == 1))
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

bool rsan_stamp_covers(const struct rsan_stamp *clock, const struct rsan_stamp *from) {
  for (uint32_t i = 0; i < size_of(from); i++)
    if (rsan_stamp_get(clock, i) < rsan_stamp_get(from, i))
      return false;
  return true;
}

// Does the base of `clock` lack something that `from` has, its own entry aside? The entry beside
// the base first: it is what is new in most cases.
static bool lacks(const struct rsan_stamp *clock, const struct rsan_stamp *from) {
  if (from->thread != clock->thread && rsan_stamp_get(clock, from->thread) < from->index)
    return true;
  uint32_t size = from->base ? from->base->size : 0;
  uint32_t known = clock->base ? clock->base->size : 0;
  for (uint32_t i = 0; i < size; i++)
    if (from->base->entries[i] > (i < known ? clock->base->entries[i] : 0) && i != clock->thread &&
        i != from->thread)
      return true;
  return false;
}

// Makes the base one of `clock` alone, with room for all entries of `from`.
static uint64_t *make_own(struct rsan_stamp *clock, const struct rsan_stamp *from) {
  struct rsan_snapshot *old = clock->base;
  uint32_t size = size_of(from);
  if (old && old->size >= size && !is_shared(old))
    return old->entries;
  uint32_t old_size = old ? old->size : 0;
  struct rsan_snapshot *own = snapshot_new(size > old_size ? size : old_size);
  for (uint32_t i = 0; i < old_size; i++)
    own->entries[i] = old->entries[i];
  for (uint32_t i = old_size; i < own->size; i++)
    own->entries[i] = 0;
  clock->base = own;
  rsan_stamp_unshare(old);
  return own->entries;
}

static void fold(uint64_t *entries, const struct rsan_stamp *from) {
  uint32_t size = from->base ? from->base->size : 0;
  for (uint32_t i = 0; i < size; i++)
    if (from->base->entries[i] > entries[i])
      entries[i] = from->base->entries[i];
  if (from->thread != RSAN_MERGED && from->index && from->index > entries[from->thread])
    entries[from->thread] = from->index;
}

bool rsan_stamp_join(struct rsan_stamp *clock, const struct rsan_stamp *from) {
  if (!lacks(clock, from))
    return false;
  if (clock->base == from->base && from->base) // nothing but the entry beside it
    make_own(clock, from)[from->thread] = from->index;
  else
    fold(make_own(clock, from), from);
  return true;
}

static void become_merged(struct rsan_stamp *clock) {
  struct rsan_stamp whole = {.thread = RSAN_MERGED};
  if (clock->base || clock->index)
    fold(make_own(&whole, clock), clock);
  rsan_stamp_clear(clock);
  *clock = whole;
}

void rsan_stamp_merge(struct rsan_stamp *into, const struct rsan_stamp *from) {
  if (into->thread != RSAN_MERGED)
    become_merged(into);
  if (lacks(into, from))
    fold(make_own(into, from), from);
}

void rsan_stamp_raise(struct rsan_stamp *into, const struct rsan_stamp *from) {
  if (into->thread != RSAN_MERGED)
    become_merged(into);
  make_own(into, from)[from->thread] = from->index;
}
