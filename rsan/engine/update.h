// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The step of happens-before that every access makes at its location, of one size or of several.

#ifndef RSAN_ENGINE_UPDATE_H
#define RSAN_ENGINE_UPDATE_H

#include "../steps/types.h"

// Returns the order of the access itself. seq_cst becomes acquire or release, because S, or the
// fence before the access, does the rest.
static inline enum rsan_order rsan_order_without_fence(const struct rsan_access *access) {
  static const enum rsan_order acquire_release[] = {
      [RSAN_READ] = RSAN_ACQUIRE, [RSAN_WRITE] = RSAN_RELEASE, [RSAN_RMW] = RSAN_ACQ_REL};
  return access->order == RSAN_SEQ_CST ? acquire_release[access->kind] : access->order;
}

// `order` is that of the access itself: where seq_cst means a fence before it, the order after that
// fence.
static inline void rsan_update_hb(struct rsan_thread *thread, struct rsan_location *location,
                                  const struct rsan_access *access, enum rsan_order order) {
  bool own = location->hb_w.thread == thread->hb.index;
  if (access->kind == RSAN_READ) {
    rsan_hb_read(&thread->hb, &location->hb_w, order);
    rsan_fast_w_read(&location->w, !own);
  } else if (access->kind == RSAN_WRITE) {
    rsan_hb_write(&thread->hb, &location->hb_w, order);
    rsan_fast_w_replaced(&location->w);
  } else {
    rsan_hb_rmw(&thread->hb, &location->hb_w, order);
    rsan_fast_w_updated(&location->w, !own, rsan_order_releases(order));
  }
}

#endif
