// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Thread-indexed clocks as cheap values: an immutable shared vector, and one entry beside it.
//
//              stamp of thread 2                          snapshot, shared
//        +-------+-----------+----------+         +------------+------+---+---+---+---+
//        | base -+-> ....... | index 17 |   --->  | references | size | 5 | 9 | 3 | 8 |
//        |       | thread 2  |          |         +------------+------+---+---+---+---+
//        +-------+-----------+----------+                                       ^ not looked at
//   is the clock (5, 9, 17, 8).
//
// The entries of other threads change seldom, a thread's own entry with each access. So a thread's
// clock is a stamp. To release the clock is to copy the stamp, which shares its base: O(1),
// whatever the number of threads. The base is copied before it changes while somebody shares it.
//
// All stamps that a thread releases with one index are equal, so rsan_stamp_covers makes one
// comparison in place of a join (docs/internals/MODEL.md section 2).
//
// A join of stamps of several threads belongs to none of them. It is *merged*: the base has all of
// its entries. Whether it covers a stamp is one comparison as well; whether a clock covers all of
// it takes a comparison for each entry.

#ifndef RSAN_BASE_STAMP_H
#define RSAN_BASE_STAMP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define RSAN_MERGED UINT32_MAX

// References to what is shared, here and elsewhere.
static inline void rsan_share(_Atomic uint32_t *references) {
  atomic_fetch_add_explicit(references, 1, memory_order_relaxed);
}
static inline bool rsan_is_shared(_Atomic uint32_t *references) {
  return atomic_load_explicit(references, memory_order_acquire) != 1;
}
// One less. Was it the last one? (Which need not count down: nobody else can get at the object.)
static inline bool rsan_unshare(_Atomic uint32_t *references) {
  return !rsan_is_shared(references) ||
         atomic_fetch_sub_explicit(references, 1, memory_order_acq_rel) == 1;
}

struct rsan_snapshot {
  _Atomic uint32_t references;
  uint32_t size;      // entries; all further ones are 0
  uint64_t entries[]; // written only while there is one reference, by its holder
};

// A zeroed stamp is the empty clock and owns no memory. Others hold a reference to their base and
// end with rsan_stamp_clear.
struct rsan_stamp {
  struct rsan_snapshot *base; // NULL: all 0
  uint64_t index;             // entry of `thread`, whatever base has there
  uint32_t thread;            // or RSAN_MERGED, with index 0
};

static inline bool rsan_stamp_is_empty(const struct rsan_stamp *clock) {
  return !clock->base && !clock->index;
}

static inline uint64_t rsan_stamp_get(const struct rsan_stamp *clock, uint32_t thread) {
  if (thread == clock->thread)
    return clock->index;
  return clock->base && thread < clock->base->size ? clock->base->entries[thread] : 0;
}

// The same stamp: equal clocks can be different ones.
static inline bool rsan_stamp_is_same(const struct rsan_stamp *a, const struct rsan_stamp *b) {
  return a->base == b->base && a->index == b->index && a->thread == b->thread;
}

// Whether `clock` has all of `from`, as far as one comparison tells: false means 'not known'.
static inline bool rsan_stamp_covers(const struct rsan_stamp *clock,
                                     const struct rsan_stamp *from) {
  if (from->thread == RSAN_MERGED)
    return !from->base;
  return rsan_stamp_get(clock, from->thread) >= from->index;
}

// Pointwise, entry by entry: the obvious form.
bool rsan_stamp_is_at_least(const struct rsan_stamp *clock, const struct rsan_stamp *from);

// Pointwise maximum into a thread's clock, whose own entry stays. Says whether anything changed.
bool rsan_stamp_join(struct rsan_stamp *clock, const struct rsan_stamp *from);

// Pointwise maximum into an object's clock, which is merged afterwards. For joins that neither
// rsan_stamp_covers nor rsan_stamp_assign can do.
void rsan_stamp_merge(struct rsan_stamp *into, const struct rsan_stamp *from);

// An object's clock joins a stamp that was released, by assignment if that has all of the clock.
void rsan_stamp_release(struct rsan_stamp *into, const struct rsan_stamp *from);

// The same as rsan_stamp_merge for an object's clock that lacks nothing but the thread's own entry.
void rsan_stamp_raise(struct rsan_stamp *into, const struct rsan_stamp *from);

void rsan_stamp_clear(struct rsan_stamp *clock);
void rsan_stamp_share(struct rsan_snapshot *base);   // one reference more; NULL is allowed
void rsan_stamp_unshare(struct rsan_snapshot *base); // one reference less; NULL is allowed

static inline void rsan_stamp_assign(struct rsan_stamp *into, const struct rsan_stamp *from) {
  if (into->base != from->base) {
    rsan_stamp_share(from->base);
    rsan_stamp_unshare(into->base);
  }
  *into = *from;
}

#endif
