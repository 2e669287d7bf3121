// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A view of S, the single total order of seq_cst events, as far as the run settles it: which events
// are before something, as a thread-indexed clock.
//
//   fence   newest SC fence that is S-before, which stands for all
//   n       newest event of each thread that is S-before: accesses and SC fences count. What the
//           fence has need not be here: where there are fences alone, it is empty.
//
// docs/internals/MODEL.md section 4 says why, and why one comparison tells what a view has of a
// stamp.

#ifndef RSAN_SEQCST_VIEW_H
#define RSAN_SEQCST_VIEW_H

#include "../base/stamp.h"
#include "../host.h"

// An SC fence that was passed: nothing of it changes.
struct rsan_s_fence {
  _Atomic uint32_t references;
  uint64_t number;     // in the order in which they were passed, from 1
  struct rsan_stamp n; // view of S with the fence itself
  struct rsan_stamp c; // what happened before it
};

// A zeroed one is empty. Others end with rsan_s_clear.
struct rsan_s_view {
  struct rsan_stamp n;
  struct rsan_s_fence *fence; // NULL: none
};

// The one after `latest` (NULL: none), which it replaces. Takes over both stamps. The caller has a
// reference to it.
struct rsan_s_fence *rsan_s_fence_new(struct rsan_s_fence **latest, const struct rsan_stamp *n,
                                      const struct rsan_stamp *c);
void rsan_s_fence_unshare(struct rsan_s_fence *fence); // NULL is allowed
void rsan_s_fence_replace(struct rsan_s_fence **into, struct rsan_s_fence *from);

// The newer one of both. This and the joins below say whether anything changed.
static inline bool rsan_s_fence_join(struct rsan_s_fence **into, struct rsan_s_fence *from) {
  if (!from || (*into && (*into)->number >= from->number))
    return false;
  rsan_s_fence_replace(into, from);
  return true;
}

static inline bool rsan_s_is_empty(const struct rsan_s_view *view) {
  return rsan_stamp_is_empty(&view->n) && !view->fence;
}

// Has the view all of `from` (a stamp, a fence, both), as far as one comparison tells?
static inline bool rsan_s_covers_stamp(const struct rsan_s_view *view,
                                       const struct rsan_stamp *from) {
  if (from->thread == RSAN_MERGED)
    return !from->base;
  return rsan_stamp_get(&view->n, from->thread) >= from->index ||
         (view->fence && rsan_stamp_get(&view->fence->n, from->thread) >= from->index);
}

static inline bool rsan_s_covers_fence(const struct rsan_s_view *view,
                                       const struct rsan_s_fence *from) {
  return !from || (view->fence && view->fence->number >= from->number);
}

static inline bool rsan_s_covers(const struct rsan_s_view *view, const struct rsan_s_view *from) {
  return rsan_s_covers_fence(view, from->fence) && rsan_s_covers_stamp(view, &from->n);
}

// The obvious form, entry by entry.
bool rsan_s_is_at_least(const struct rsan_s_view *view, const struct rsan_stamp *from);

// What follows where rsan_s_covers does not know.
bool rsan_s_join_in_full(struct rsan_s_view *thread, const struct rsan_s_view *from);
bool rsan_s_merge_in_full(struct rsan_s_view *into, const struct rsan_s_view *from);

static inline bool rsan_s_covers_whole(const struct rsan_s_view *view,
                                       const struct rsan_s_view *from) {
  bool has = rsan_s_covers(view, from);
  RSAN_ASSERT(!has || rsan_s_is_at_least(view, &from->n), "a stamp is not whole in a view of S");
  return has;
}

// The view of a thread, whose own entry stays, joins another.
static inline bool rsan_s_join(struct rsan_s_view *thread, const struct rsan_s_view *from) {
  return !rsan_s_covers_whole(thread, from) && rsan_s_join_in_full(thread, from);
}

// Any other view does.
static inline bool rsan_s_merge(struct rsan_s_view *into, const struct rsan_s_view *from) {
  return !rsan_s_covers_whole(into, from) && rsan_s_merge_in_full(into, from);
}

void rsan_s_assign(struct rsan_s_view *into, const struct rsan_s_view *from);
void rsan_s_clear(struct rsan_s_view *view);

#endif
