// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "view.h"

#include "../host.h"

struct rsan_s_fence *rsan_s_fence_new(struct rsan_s_fence **latest, const struct rsan_stamp *n,
                                      const struct rsan_stamp *c) {
  struct rsan_s_fence *fence = rsan_host_alloc(sizeof *fence);
  *fence = (struct rsan_s_fence){.number = *latest ? (*latest)->number + 1 : 1, .n = *n, .c = *c};
  atomic_init(&fence->references, 1);
  rsan_s_fence_replace(latest, fence);
  return fence;
}

void rsan_s_fence_unshare(struct rsan_s_fence *fence) {
  if (!fence || !rsan_unshare(&fence->references))
    return;
  rsan_stamp_clear(&fence->n);
  rsan_stamp_clear(&fence->c);
  rsan_host_free(fence);
}

void rsan_s_fence_replace(struct rsan_s_fence **into, struct rsan_s_fence *from) {
  if (*into == from)
    return;
  if (from)
    rsan_share(&from->references);
  rsan_s_fence_unshare(*into);
  *into = from;
}

static uint64_t s_get(const struct rsan_s_view *view, uint32_t thread) {
  uint64_t n = rsan_stamp_get(&view->n, thread);
  uint64_t by_fence = view->fence ? rsan_stamp_get(&view->fence->n, thread) : 0;
  return n > by_fence ? n : by_fence;
}

bool rsan_s_is_at_least(const struct rsan_s_view *view, const struct rsan_stamp *from) {
  for (uint32_t i = 0; from->base && i < from->base->size; i++)
    if (s_get(view, i) < rsan_stamp_get(from, i))
      return false;
  return from->thread == RSAN_MERGED || s_get(view, from->thread) >= from->index;
}

// Has the view all of `from`? (A merged one is nobody's event: it has to be looked at.)
static bool s_view_covers(const struct rsan_s_view *view, const struct rsan_stamp *from) {
  if (from->thread != RSAN_MERGED) {
    bool whole = rsan_s_covers_stamp(view, from);
    RSAN_ASSERT(!whole || rsan_s_is_at_least(view, from), "a stamp is not whole in a view of S");
    return whole;
  }
  return (view->n.thread == RSAN_MERGED && view->n.base == from->base) ||
         rsan_s_is_at_least(view, from);
}

bool rsan_s_join_in_full(struct rsan_s_view *thread, const struct rsan_s_view *from) {
  bool changes = !s_view_covers(thread, &from->n) && rsan_stamp_join(&thread->n, &from->n);
  return rsan_s_fence_join(&thread->fence, from->fence) || changes;
}

bool rsan_s_merge_in_full(struct rsan_s_view *into, const struct rsan_s_view *from) {
  bool changes = !s_view_covers(into, &from->n);
  if (changes && s_view_covers(from, &into->n))
    rsan_stamp_assign(&into->n, &from->n); // whose fence will have the rest
  else if (changes)
    rsan_stamp_merge(&into->n, &from->n);
  return rsan_s_fence_join(&into->fence, from->fence) || changes;
}

void rsan_s_assign(struct rsan_s_view *into, const struct rsan_s_view *from) {
  rsan_stamp_assign(&into->n, &from->n);
  rsan_s_fence_replace(&into->fence, from->fence);
}

void rsan_s_clear(struct rsan_s_view *view) {
  rsan_stamp_clear(&view->n);
  rsan_s_fence_unshare(view->fence);
  view->fence = 0;
}
