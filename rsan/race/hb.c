// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Appendix B of the paper, line by line.

#include "hb.h"

#include "../host.h"

void rsan_hb_init(struct rsan_hb *thread, uint32_t index, uint64_t epoch,
                  const struct rsan_index_table *indices) {
  *thread = (struct rsan_hb){.index = index, .indices = indices};
  thread->c = (struct rsan_stamp){.thread = index, .index = epoch};
  thread->a.thread = RSAN_MERGED;
}

void rsan_hb_clear(struct rsan_hb *thread) {
  rsan_stamp_clear(&thread->c);
  rsan_stamp_clear(&thread->a);
  rsan_stamp_clear(&thread->r);
}

void rsan_hb_join(struct rsan_hb *thread, const struct rsan_stamp *from) {
  if (rsan_hb_covers(thread, &thread->c, from)) {
    RSAN_ASSERT(rsan_stamp_is_at_least(&thread->c, from), "a stamp is not whole in happens-before");
    return;
  }
  rsan_fast_acts(&thread->fast);
  rsan_lock(&thread->moving);
  rsan_stamp_join(&thread->c, from);
  rsan_unlock(&thread->moving);
}

static void join_acquire_clock(struct rsan_hb *thread, const struct rsan_stamp *from) {
  if (rsan_hb_covers(thread, &thread->c, from) || rsan_hb_covers(thread, &thread->a, from))
    return;
  rsan_fast_acts(&thread->fast);
  rsan_lock(&thread->moving);
  rsan_stamp_merge(&thread->a, from);
  rsan_unlock(&thread->moving);
}

void rsan_hb_release(const struct rsan_hb *thread, struct rsan_stamp *into,
                     const struct rsan_stamp *from) {
  if (rsan_hb_covers(thread, into, from))
    RSAN_ASSERT(rsan_stamp_is_at_least(into, from), "a stamp is not whole where it was released");
  else if (rsan_hb_covers(thread, from, into) || rsan_stamp_is_at_least(from, into))
    rsan_stamp_assign(into, from); // which is whole, if `into` was merged
  else
    rsan_stamp_merge(into, from);
}

static const struct rsan_stamp *released(const struct rsan_hb *thread, enum rsan_order order) {
  return rsan_order_releases(order) ? &thread->c : &thread->r;
}

void rsan_hb_read(struct rsan_hb *thread, const struct rsan_stamp *w, enum rsan_order order) {
  if (rsan_order_acquires(order))
    rsan_hb_join(thread, w);
  else
    join_acquire_clock(thread, w);
}

// A plain write ends the release sequence that stood here: W is assigned, not joined.
void rsan_hb_write(struct rsan_hb *thread, struct rsan_stamp *w, enum rsan_order order) {
  rsan_stamp_assign(w, released(thread, order));
  if (rsan_order_releases(order))
    rsan_hb_tick(thread);
}

// Is W nothing, or what the thread itself has released? Its own stamps are ordered by their
// indices: the later has all of the earlier.
static bool is_nothing_new(const struct rsan_hb *thread, const struct rsan_stamp *w) {
  if (!w->index)
    return !w->base;
  return w->thread == thread->index &&
         w->index > rsan_index_epoch_floor(thread->indices, thread->index);
}

// A read-modify-write continues the release sequence: W is joined.
void rsan_hb_rmw(struct rsan_hb *thread, struct rsan_stamp *w, enum rsan_order order) {
  if (is_nothing_new(thread, w)) {
    const struct rsan_stamp *from = released(thread, order);
    RSAN_ASSERT(rsan_stamp_is_at_least(&thread->c, w), "a thread does not know what it released");
    if (from->index > w->index)
      rsan_stamp_assign(w, from);
  } else {
    rsan_hb_read(thread, w, order);
    rsan_hb_release(thread, w, released(thread, order));
  }
  if (rsan_order_releases(order))
    rsan_hb_tick(thread);
}

void rsan_hb_fence(struct rsan_hb *thread, enum rsan_order order) {
  if (rsan_order_acquires(order) && thread->a.base) {
    rsan_fast_acts(&thread->fast);
    rsan_lock(&thread->moving);
    rsan_stamp_join(&thread->c, &thread->a);
    rsan_stamp_clear(&thread->a);
    rsan_unlock(&thread->moving);
  }
  if (!rsan_order_releases(order))
    return;
  rsan_lock(&thread->moving);
  rsan_stamp_assign(&thread->r, &thread->c);
  rsan_unlock(&thread->moving);
  rsan_hb_tick(thread);
}

bool rsan_hb_fence_sc(struct rsan_hb *thread, struct rsan_stamp *f) {
  bool idle = rsan_fast_is_idle(&thread->fast);
  if (idle) {
    rsan_hb_join(thread, f);
  } else {
    rsan_hb_fence(thread, RSAN_ACQUIRE);
    rsan_hb_rmw(thread, f, RSAN_ACQ_REL);
  }
  rsan_hb_fence(thread, RSAN_RELEASE);
  return !idle;
}
