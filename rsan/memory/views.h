// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The happens-before views of all live threads, for those who decide what may be forgotten.

#ifndef RSAN_MEMORY_VIEWS_H
#define RSAN_MEMORY_VIEWS_H

#include <stdbool.h>

#include "../base/counters.h"
#include "../base/lock.h"
#include "../race/hb.h"

struct rsan_view {
  struct rsan_view *next, *previous;
  struct rsan_hb *hb;
  bool running; // else it has finished and may be joined
  const struct rsan_own_counters *counters;
};

// Lock order: a location's lock, then this one, then rsan_hb.moving.
struct rsan_views {
  struct rsan_shared_lock lock; // shared by those who only look
  struct rsan_view *first;
};

static inline void rsan_views_add(struct rsan_views *views, struct rsan_view *view) {
  rsan_lock_alone(&views->lock);
  view->running = true;
  view->previous = 0;
  view->next = views->first;
  if (view->next)
    view->next->previous = view;
  views->first = view;
  rsan_unlock_alone(&views->lock);
}

static inline void rsan_views_finish(struct rsan_views *views, struct rsan_view *view) {
  rsan_lock_alone(&views->lock);
  view->running = false;
  rsan_unlock_alone(&views->lock);
}

static inline void rsan_views_remove(struct rsan_views *views, struct rsan_view *view) {
  rsan_lock_alone(&views->lock);
  if (view->next)
    view->next->previous = view->previous;
  if (view->previous)
    view->previous->next = view->next;
  else
    views->first = view->next;
  rsan_unlock_alone(&views->lock);
}

#endif
