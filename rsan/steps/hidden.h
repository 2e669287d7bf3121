// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Publications of happens-before that nobody has acquired when they are replaced.

#ifndef RSAN_STEPS_HIDDEN_H
#define RSAN_STEPS_HIDDEN_H

#include "types.h"

// A write that replaces W, while W is what the thread published at the end of its last epoch and
// nobody has acquired it: an epoch is published once, so nobody will ever know that one without
// this. (Relaxed writes publish the epoch of a release fence again and again, but make records of
// later ones. Epochs up to the floor anyone may know: engine/unseen.h.)
static inline bool rsan_hides_last_epoch(const struct rsan_thread *thread,
                                         const struct rsan_location *location,
                                         const struct rsan_access *access) {
  const struct rsan_stamp *w = &location->hb_w;
  bool replaces = access->kind == RSAN_WRITE ||
                  (access->kind == RSAN_RMW && rsan_order_releases(access->order));
  return replaces && rsan_fast_w_is_unread(&location->w) && w->thread == thread->hb.index &&
         w->index + 1 == rsan_hb_epoch(&thread->hb) &&
         w->index > rsan_index_epoch_floor(thread->hb.indices, thread->hb.index);
}

#endif
