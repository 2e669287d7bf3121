// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// seq_cst accesses in the engine, for the compact clocks: by the option seq_cst an SC fence
// before the access, or (exact) events of S, the single total order of C++20 (seqcst/).
//
// Compact views of S are kept from the first seq_cst access g on; a program that has none pays for
// one test at each step. No violation is reported that is none:
//
//   - `fence_lock` orders all SC fences with g. What the fences before g have seen is in `start`,
//     with all that happened before them. That is the most that can be S-before any event, and the
//     view of each thread begins with it.
//   - An event that does not find `on` set is not reached from g or from a later event: who is
//     reached from there has taken a lock after a thread that knew. So its view of S is empty, and
//     what it would add to a view is in `start`.
//
// That hides violations where an SC fence came before g: docs/internals/MODEL.md section 4,
// deviation 1.
//
// Not even the fences before g may be left out. In `x =rlx 1; fence; a =rlx y || y =sc 1; b =sc x`
// the fence comes first, and if a = 0 then b = 1.

#ifndef RSAN_STEPS_SEQCST_H
#define RSAN_STEPS_SEQCST_H

#include "types.h"

void rsan_seqcst_clear(struct rsan_engine *engine);

// Slow halves of what follows.
void rsan_seqcst_start(struct rsan_engine *engine); // with `fence_lock`
void rsan_seqcst_update_views(struct rsan_thread *thread, struct rsan_location *location,
                              const struct rsan_access *access);

static inline bool rsan_seqcst_is_on(const struct rsan_engine *engine) {
  return atomic_load_explicit(&engine->seqcst.on, memory_order_relaxed);
}

// Is the access, or the branch of a compare-exchange that was not taken, seq_cst?
static inline bool rsan_seqcst_concerns(const struct rsan_access *access) {
  return access->order == RSAN_SEQ_CST ||
         (access->compares && (access->success == RSAN_SEQ_CST || access->failure == RSAN_SEQ_CST));
}

// Before a thread's first seq_cst access: it has views from now on.
void rsan_seqcst_begin(struct rsan_thread *thread);

// An access: `advance` before its version is appended, `update` after, before happens-before.
static inline void rsan_seqcst_update(struct rsan_thread *thread, struct rsan_location *location,
                                      const struct rsan_access *access) {
  if (rsan_seqcst_is_on(thread->engine))
    rsan_seqcst_update_views(thread, location, access);
}

// An access that departs (weak/weak.h), after which the thread knows `version`: it reads one that
// was released with `flows`.
void rsan_seqcst_depart(struct rsan_thread *thread, struct rsan_location *location,
                        const struct rsan_access *access, uint64_t version,
                        const struct rsan_s_flows *flows);

void rsan_seqcst_advance_views(const struct rsan_thread *thread, struct rsan_location *location,
                               const struct rsan_access *access);

static inline void rsan_seqcst_advance(const struct rsan_thread *thread,
                                       struct rsan_location *location,
                                       const struct rsan_access *access) {
  if (location->s)
    rsan_seqcst_advance_views(thread, location, access);
}

static inline uint64_t rsan_seqcst_known_below(const struct rsan_location *location,
                                               uint64_t by_happens_before) {
  if (!location->s)
    return by_happens_before;
  uint64_t by_s = rsan_s_known_below(location->s, location->history.newest);
  return by_s > by_happens_before ? by_s : by_happens_before;
}

static inline uint32_t rsan_seqcst_entries(const struct rsan_location *location) {
  return location->s ? location->s->records.count : 0;
}

void rsan_seqcst_collect(struct rsan_engine *engine, struct rsan_location *location);

// Fences. Before an SC fence, and after it, with `fence_lock`; after another one.
static inline void rsan_seqcst_before_fence(struct rsan_engine *engine) {
  if (engine->seqcst.from_fences && !rsan_seqcst_is_on(engine))
    rsan_seqcst_start(engine);
}

void rsan_seqcst_fence_sc(struct rsan_thread *thread);
// A write that is not seen (engine/unseen.h), with `everything` before it, counts as one after an
// SC fence: who is S-after it, or has passed a later fence, may not miss any of that.
void rsan_seqcst_unseen_write(struct rsan_engine *engine, struct rsan_location *location,
                              const struct rsan_stamp *everything);
// The same for one by a thread that has acquired all that the object has.
void rsan_seqcst_write_after(struct rsan_location *location, const struct rsan_sync *sync);
// The thread acquires what such a write of another location would leave.
void rsan_seqcst_acquire_unseen(struct rsan_thread *thread, const struct rsan_stamp *everything);
void rsan_seqcst_fence_weak(struct rsan_thread *thread, enum rsan_order order);

// A location's history starts over; a withdrawn location is merged into the shared location of all
// withdrawn ones; W is acquired.
static inline void rsan_seqcst_restart(struct rsan_location *location) {
  if (!location->s)
    return;
  rsan_records_restart(&location->s->records);
  rsan_fast_event_forget_there(&location->s->fast);
}

void rsan_seqcst_withdraw(struct rsan_location *into, struct rsan_location *from);
void rsan_seqcst_acquire_location(struct rsan_thread *thread, const struct rsan_location *location);

// An access that is left out of the analysis, or of a withdrawn location: all that it may do.
void rsan_seqcst_pass(struct rsan_thread *thread, struct rsan_location *location);

// Threads and sync objects.
void rsan_seqcst_end(const struct rsan_thread *thread);
void rsan_seqcst_acquire(struct rsan_thread *thread, const struct rsan_sync *sync);
void rsan_seqcst_release(struct rsan_thread *thread, struct rsan_sync *sync);
void rsan_seqcst_sync_clear(struct rsan_sync *sync);

#endif
