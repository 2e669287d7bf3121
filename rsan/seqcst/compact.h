// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// seq_cst accesses exactly, with compact clocks: the views of explicit.h, indexed by threads
// (view.h), and who of them knew which version of a location.
//
//   location  records  (thread, its S index at a seq_cst access, version read or written)
//
// The view that an access is asked by is ST and H for a seq_cst access, F for others. The state of
// a thread or location is made when there is something to put there.

#ifndef RSAN_SEQCST_COMPACT_H
#define RSAN_SEQCST_COMPACT_H

#include "../event.h"
#include "../lc/history.h"
#include "../lc/records.h"
#include "../race/hb.h"
#include "view.h"

// What goes where happens-before goes. F is of fences alone: the newest one stands for all.
struct rsan_s_flows {
  struct rsan_s_fence *f;
  struct rsan_s_view h, p;
};

struct rsan_s_thread {
  struct rsan_s_view st;
  struct rsan_s_flows c, a, r;
  struct rsan_fast_event fast; // see rsan_s_go_on
};

// Stamps that read-modify-writes add to H in W and that are not joined yet: docs/internals/MODEL.md
// section 4.
#define RSAN_S_PENDING 7u

struct rsan_s_location {
  struct rsan_s_view sm, sw;
  bool read_since; // sw is not sm; else it is empty and stands for sm
  bool hidden;     // by the newest record: the one before it (rsan_s_advance)
  bool covered;    // sw has all of H in w
  uint32_t count;  // of pending joins
  struct rsan_fast_event_there fast;
  struct rsan_s_flows w;
  struct rsan_stamp *pending; // of H in w beside what is there; NULL or room for RSAN_S_PENDING
  struct rsan_records records;
};

// The newest version that an access of the location with these `hb_records` may not miss: `known`,
// which is T_c, or a later one.
uint64_t rsan_s_known(const struct rsan_s_thread *thread, const struct rsan_s_location *location,
                      const struct rsan_records *hb_records, bool seq_cst, uint64_t known);

// An access. `location` may be NULL if rsan_s_leaves_nothing says so; `newest` is the version that
// the access has read or left; with `has_flows` the thread has what a read acquires of W, as it has
// the happens-before clock that went there with it. Says whether that changes what the thread's
// next events are S-after: if not, and it is a read, then the same once more would change nothing.
bool rsan_s_leaves_nothing(const struct rsan_s_thread *thread, const struct rsan_access *access);
bool rsan_s_access(struct rsan_s_thread *thread, struct rsan_s_location *location,
                   const struct rsan_records *hb_records, const struct rsan_access *access,
                   uint64_t newest, bool has_flows);

// An access that departs (docs/internals/DEPARTURES.md) and leaves its thread with `version`; W of
// what it reads, if it reads, is `flows`. And a copy of W.
void rsan_s_depart(struct rsan_s_thread *thread, struct rsan_s_location *location,
                   const struct rsan_access *access, uint64_t version,
                   const struct rsan_s_flows *flows);
void rsan_s_copy_released(struct rsan_s_flows *into, struct rsan_s_location *location);

// Does a weak read of a thread that has W's flows change nothing? (A thread that knows the version
// has in P and H what the read brings, unless it knows it by a record that was merged upward. So
// this asks for P and H.)
static inline bool rsan_s_reads_nothing(const struct rsan_s_thread *thread,
                                        const struct rsan_s_location *location) {
  const struct rsan_s_view *brings = location->read_since ? &location->sw : &location->sm;
  return rsan_s_covers_fence(&location->sm, thread->c.f) &&
         rsan_s_covers(&thread->c.h, &thread->st) &&
         (rsan_stamp_is_empty(&brings->n) || rsan_s_covers(&thread->c.p, brings));
}

// rsan_s_fence_sc is an SC fence: it replaces `latest`, the SC fence before it or NULL. `hb` is the
// thread's happens-before after the fence. rsan_s_fence_weak is any other fence.
void rsan_s_fence_sc(struct rsan_s_thread *thread, const struct rsan_hb *hb,
                     struct rsan_s_fence **latest);
bool rsan_s_fence_weak(struct rsan_s_thread *thread, enum rsan_order order);

// The location was written, by a write that no event told the engine about. Its thread had passed
// the fence before.
void rsan_s_write_after_fence(struct rsan_s_location *location, struct rsan_s_fence *fence);

// As rsan_s_write_after_fence, but the writing thread had acquired from the object.
void rsan_s_write_after(struct rsan_s_location *location, const struct rsan_s_flows *object);

// The engine calls these for every edge of happens-before that no atomic operation makes.
void rsan_s_release(struct rsan_s_thread *thread, struct rsan_s_flows *object);
bool rsan_s_acquire(struct rsan_s_thread *thread, const struct rsan_s_flows *object);
bool rsan_s_acquire_location(struct rsan_s_thread *thread, struct rsan_s_location *location);

// See explicit.h.
void rsan_s_pass(struct rsan_s_thread *thread, struct rsan_s_location *location);
void rsan_s_withdraw(struct rsan_s_location *into, struct rsan_s_location *from);

// Before a seq_cst write's version is appended, with `hides`: the write replaces the thread's last
// release of happens-before, and nobody else has been at the location since. Drops the record of an
// event that nobody has alone (docs/internals/MODEL.md section 4, `again`).
void rsan_s_advance(const struct rsan_s_thread *thread, struct rsan_s_location *location,
                    uint64_t newest, bool hides);
// The same event once more (docs/internals/MODEL.md section 4, `again`).
static inline bool rsan_s_goes_on(const struct rsan_s_thread *thread,
                                  const struct rsan_s_location *location) {
  return thread && location &&
         rsan_fast_event_repeats(&thread->fast, &location->fast, location, thread->st.n.thread);
}
static inline void rsan_s_stop(struct rsan_s_thread *thread, struct rsan_s_location *location) {
  rsan_fast_event_forget(&thread->fast);
  if (location)
    rsan_fast_event_forget_there(&location->fast);
}
static inline void rsan_s_go_on(struct rsan_s_thread *thread, struct rsan_s_location *location,
                                uint64_t newest) {
  struct rsan_record *last = rsan_records_newest(&location->records);
  location->w.h.n.index = thread->c.h.n.index = thread->st.n.index++;
  location->sm.n.index = thread->st.n.index;
  last[-1] = last[0];
  last->epoch = thread->st.n.index;
  last->version = newest;
}

// The newest version below `newest` at which knowledge by S ends.
static inline uint64_t rsan_s_known_below(const struct rsan_s_location *location, uint64_t newest) {
  const struct rsan_records *records = &location->records;
  for (uint32_t i = records->count; i-- > 0;)
    if (records->at[i].version < newest)
      return records->at[i].version;
  return records->base;
}

void rsan_s_flows_clear(struct rsan_s_flows *flows);
void rsan_s_thread_free(struct rsan_s_thread *thread); // these allow NULL
void rsan_s_location_free(struct rsan_s_location *location);
// Has it, once renewed, no memory to free separately but the first records? Renewed, it is as new,
// with room for these.
bool rsan_s_location_is_small(const struct rsan_s_location *location);
void rsan_s_location_renew(struct rsan_s_location *location);

#endif
