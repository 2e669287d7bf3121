// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the fast answers rest on: each says 'nothing has changed since', and here is since when. The
// members of these structs, which are part of those of the rooms, are named here and in fast/ alone
// (tests/style/check_core.py): who does what ends an answer says so by one of these functions.
//
//   struct            the answer                              ends with
//   rsan_fast_epoch   an SC fence, or a release to an object, what the thread does or learns in its
//                     would release nothing new               present epoch
//   rsan_fast_loads   a repeated load changes nothing         a change of the thread's views
//   rsan_fast_w       nobody has acquired the newest W        another thread's read there
//   rsan_fast_write   a write repeats the one before it       anything else at the location
//   rsan_fast_event   a seq_cst write is the same event of S  anything else by the thread in S, or
//                     again                                   at the location

#ifndef RSAN_BASE_FAST_H
#define RSAN_BASE_FAST_H

#include <stdbool.h>
#include <stdint.h>

#include "../memorder.h"

struct rsan_fast_epoch {
  uint64_t idle_since;      // `fences` of the engine at the last SC fence; 0: it has ended
  uint64_t unchanged_since; // first epoch in which nothing was done or learnt; 0: it has ended
};

static inline void rsan_fast_acts(struct rsan_fast_epoch *epoch) {
  if (epoch->idle_since | epoch->unchanged_since)
    epoch->idle_since = epoch->unchanged_since = 0;
}

static inline void rsan_fast_epoch_ends(struct rsan_fast_epoch *epoch) {
  if (epoch->idle_since)
    epoch->idle_since = 0;
}

// `next`: the epoch that begins after a release to a sync object.
static inline void rsan_fast_released(struct rsan_fast_epoch *epoch, uint64_t next) {
  if (!epoch->unchanged_since)
    epoch->unchanged_since = next;
}

// Does who knows that epoch of the thread know all that it could release now?
static inline bool rsan_fast_is_unchanged(const struct rsan_fast_epoch *epoch, uint64_t known) {
  return epoch->unchanged_since && known + 1 >= epoch->unchanged_since;
}

// Has the thread passed an SC fence and done nothing since? And has f not changed either?
static inline bool rsan_fast_is_idle(const struct rsan_fast_epoch *epoch) {
  return epoch->idle_since;
}
static inline bool rsan_fast_is_idle_since(const struct rsan_fast_epoch *epoch, uint64_t fences) {
  return epoch->idle_since == fences;
}
static inline void rsan_fast_fence_passed(struct rsan_fast_epoch *epoch, uint64_t fences) {
  epoch->idle_since = fences;
}

struct rsan_fast_loads {
  uint64_t view_changes; // whatever a repeated load depends on has changed so often
};

static inline void rsan_fast_view_changed(struct rsan_fast_loads *loads, bool changed) {
  loads->view_changes += changed;
}

struct rsan_fast_w {
  bool acquired_by_others; // another thread than its writer may have acquired it
};

static inline bool rsan_fast_w_is_unread(const struct rsan_fast_w *w) {
  return !w->acquired_by_others;
}
// (These store only if the value changes: other threads have the word in their caches.)
static inline void rsan_fast_w_read(struct rsan_fast_w *w, bool by_another) {
  if (by_another && !w->acquired_by_others)
    w->acquired_by_others = true;
}
static inline void rsan_fast_w_replaced(struct rsan_fast_w *w) {
  if (w->acquired_by_others)
    w->acquired_by_others = false;
}
// By a read-modify-write, which acquires it before.
static inline void rsan_fast_w_updated(struct rsan_fast_w *w, bool by_another, bool releases) {
  w->acquired_by_others = (w->acquired_by_others || by_another) && !releases;
}

// The write that may be repeated at a location: nobody else has come there since, and the thread's
// next write of the same kind and order would replace the newest version (rsan_history_fold).
struct rsan_fast_write {
  uint32_t repeatable_write; // writer's number | order, 3 bits | plain, 1 bit; 0: none
};
// A thread gets a number as a writer when it is made, and another with each owner that the host
// names: two have the same only if one has come 2^28 threads after the other.
struct rsan_fast_writer {
  uint32_t writer_number;
  uint32_t asks_first; // the same if rsan_store_repeats may be asked first; else UINT32_MAX
};
#define RSAN_FAST_WRITER 4u // bits below the number
_Static_assert(RSAN_SEQ_CST < 8, "three bits");

static inline uint32_t rsan_fast_write_of(uint32_t writer, enum rsan_order order, bool plain) {
  return writer | (uint32_t)order << 1 | plain;
}

static inline bool rsan_fast_is_writer(const struct rsan_fast_write *write,
                                       const struct rsan_fast_writer *writer) {
  return (write->repeatable_write ^ writer->writer_number) < 1u << RSAN_FAST_WRITER;
}

static inline void rsan_fast_forget(struct rsan_fast_write *write) {
  write->repeatable_write = 0;
}

static inline void rsan_fast_may_repeat(struct rsan_fast_write *write,
                                        const struct rsan_fast_writer *writer,
                                        enum rsan_order order, bool plain, bool may) {
  write->repeatable_write = may ? rsan_fast_write_of(writer->writer_number, order, plain) : 0;
}

// The thread's last event of S was a write of that location, and the location's was the thread's.
struct rsan_fast_event {
  const void *event_location;
};
struct rsan_fast_event_there {
  uint32_t event_writer; // thread index, plus 1; or 0
};

static inline bool rsan_fast_event_repeats(const struct rsan_fast_event *event,
                                           const struct rsan_fast_event_there *there,
                                           const void *location, uint32_t thread) {
  return event->event_location == location && there->event_writer == thread + 1;
}
static inline void rsan_fast_event_may_repeat(struct rsan_fast_event *event,
                                              struct rsan_fast_event_there *there,
                                              const void *location, uint32_t thread) {
  event->event_location = location;
  there->event_writer = thread + 1;
}
static inline void rsan_fast_event_forget(struct rsan_fast_event *event) {
  event->event_location = 0;
}
static inline void rsan_fast_event_forget_there(struct rsan_fast_event_there *there) {
  if (there->event_writer)
    there->event_writer = 0;
}

#endif
