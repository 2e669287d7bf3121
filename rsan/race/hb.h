// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RC20 happens-before as vector clocks: the paper's appendix B, docs/internals/ALGORITHM.md
// section 2.
//
//   thread    Vc  what the thread knows by happens-before; its own entry is its epoch, from 1
//             Va  what an acquire fence would add (joined by relaxed reads)
//             Vr  what a relaxed write releases (Vc at the last release fence)
//   location  W   view of the newest write, release sequence included
//
// Deviations 1 and 2: docs/internals/MODEL.md section 3, number 11.
// Deviation 3: an SC fence only joins f's clock if since the thread's last one no clock of it has
// changed and nothing was done in its present epoch: f has all that it would release. And then it
// is left out if nobody else has changed f (rsan_fast_is_idle).
// Deviation 4: a sync object to which the thread has released, and has done nothing since, is left
// as it is, and so is the epoch (rsan_fast_is_unchanged).

#ifndef RSAN_RACE_HB_H
#define RSAN_RACE_HB_H

#include "../base/fast.h"
#include "../base/lock.h"
#include "../base/stamp.h"
#include "../base/thread_index.h"
#include "../memorder.h"

struct rsan_hb {
  uint32_t index; // of the thread, in every clock
  struct rsan_stamp c, a, r;
  struct rsan_fast_epoch fast;
  struct rsan_lock moving; // held while a base changes: collections read it (memory/views.h)
  const struct rsan_index_table *indices;
};

static inline uint64_t rsan_hb_epoch(const struct rsan_hb *thread) {
  return thread->c.index;
}

// Zeroes all of it. `indices` says which indices were taken again by force.
void rsan_hb_init(struct rsan_hb *thread, uint32_t index, uint64_t epoch,
                  const struct rsan_index_table *indices);
void rsan_hb_clear(struct rsan_hb *thread);

// Does `clock` have all of `from`? False means 'not known'. A comparison of one entry of an index
// that was taken again by force tells nothing about what its earlier threads released: too little
// happens-before would be a false alarm.
static inline bool rsan_hb_covers(const struct rsan_hb *thread, const struct rsan_stamp *clock,
                                  const struct rsan_stamp *from) {
  return rsan_stamp_covers(clock, from) &&
         (from->thread == RSAN_MERGED ||
          from->index > rsan_index_epoch_floor(thread->indices, from->thread) ||
          (!from->index && !from->base));
}

// Would a read of a location with the clock `w` learn nothing? False means 'not known'.
static inline bool rsan_hb_reads_nothing(const struct rsan_hb *thread, const struct rsan_stamp *w,
                                         enum rsan_order order) {
  return rsan_hb_covers(thread, &thread->c, w) ||
         (!rsan_order_acquires(order) && rsan_hb_covers(thread, &thread->a, w));
}

// Vc joins `from`, the Vc of a thread or sync object.
void rsan_hb_join(struct rsan_hb *thread, const struct rsan_stamp *from);
// An object's clock joins `from`, one of the thread's: shares it where it covers what was there.
void rsan_hb_release(const struct rsan_hb *thread, struct rsan_stamp *into,
                     const struct rsan_stamp *from);

// The events. `w` is the location's clock, covered by the location's lock; `order` is the order
// without seq_cst's fence, which the engine takes first.
void rsan_hb_read(struct rsan_hb *thread, const struct rsan_stamp *w, enum rsan_order order);
void rsan_hb_write(struct rsan_hb *thread, struct rsan_stamp *w, enum rsan_order order);
void rsan_hb_rmw(struct rsan_hb *thread, struct rsan_stamp *w, enum rsan_order order);

// acq, rel and acq_rel fences, and the SC fence, whose location f has the clock `f`: acquire fence,
// acq_rel fetch-op on f, release fence. f takes part in happens-before only. Says whether f has
// changed; rsan_fast_fence_passed is up to the caller.
void rsan_hb_fence(struct rsan_hb *thread, enum rsan_order order);
bool rsan_hb_fence_sc(struct rsan_hb *thread, struct rsan_stamp *f);

// Moves the thread's epoch on, after its Vc was released. Another thread may see a later write of
// this thread that no event told the engine about. If that thread then reads the epoch without a
// lock (rsan_hb_end_epoch), it must see this epoch or a later one.
static inline void rsan_hb_tick(struct rsan_hb *thread) {
  rsan_fast_epoch_ends(&thread->fast);
  __atomic_store_n(&thread->c.index, thread->c.index + 1, __ATOMIC_RELAXED); // see rsan_hb_peek
  __atomic_thread_fence(__ATOMIC_RELEASE);                                   // none on x86-64
}

// The same for one that was released to a sync object.
static inline void rsan_hb_tick_released(struct rsan_hb *thread) {
  rsan_hb_tick(thread);
  rsan_fast_released(&thread->fast, rsan_hb_epoch(thread));
}

// For another thread than the clocks' own: ends the epoch, and returns it. What the thread does
// from then on is done in a later epoch, beyond all that anyone has been told to distrust before
// (rsan_index_raise_epoch_floor). If the thread moves its epoch on at the same time, one of the two
// may be lost; so this one may be without effect, but for the floor.
#define RSAN_HB_MARGIN 2u // epochs that a thread may move on by in one operation
static inline uint64_t rsan_hb_end_epoch(struct rsan_hb *thread) {
  return __atomic_fetch_add(&thread->c.index, 2 * RSAN_HB_MARGIN, __ATOMIC_SEQ_CST);
}

// For a thread that does not own the clocks, with `moving` held: an entry of one of them, now or
// from before. Aligned 64-bit words are not torn.
static inline uint64_t rsan_hb_peek(const struct rsan_stamp *clock, uint32_t thread) {
  if (thread == clock->thread)
    return __atomic_load_n(&clock->index, __ATOMIC_RELAXED);
  return clock->base && thread < clock->base->size
             ? __atomic_load_n(&clock->base->entries[thread], __ATOMIC_RELAXED)
             : 0;
}

#endif
