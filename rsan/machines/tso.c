// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tso.h"

#include "../host.h"

void rsan_tso_thread_init(struct rsan_tso_thread *thread, uint32_t index) {
  *thread = (struct rsan_tso_thread){.l.thread = index, .s.thread = index, .l_changes = 1};
}

void rsan_tso_thread_clear(struct rsan_tso_thread *thread) {
  rsan_stamp_clear(&thread->l);
  rsan_stamp_clear(&thread->s);
}

void rsan_tso_location_clear(struct rsan_tso_location *location) {
  rsan_stamp_clear(&location->w);
  rsan_stamp_clear(&location->m);
}

// Pointwise maximum into a thread's view, its own entry included.
static bool tso_join(struct rsan_stamp *view, const struct rsan_stamp *from) {
  if (rsan_stamp_covers(view, from)) {
    RSAN_ASSERT(rsan_stamp_is_at_least(view, from), "a stamp is not whole in the store order");
    return false;
  }
  bool changed = rsan_stamp_join(view, from);
  uint64_t own = rsan_stamp_get(from, view->thread);
  if (own <= view->index)
    return changed;
  view->index = own;
  return true;
}

// M joins a reader's view.
static void tso_note_reader(struct rsan_tso_location *location, const struct rsan_stamp *view) {
  if (rsan_stamp_is_at_least(rsan_tso_m(location), view))
    return;
  if (rsan_stamp_is_empty(&location->m))
    rsan_stamp_assign(&location->m, &location->w);
  rsan_stamp_merge(&location->m, view);
}

static void tso_store(struct rsan_tso_thread *thread, struct rsan_tso_location *location,
                      uint64_t sc_index) {
  tso_join(&thread->s, rsan_tso_m(location));
  thread->s.index = sc_index;
  rsan_stamp_assign(&location->w, &thread->s);
  rsan_stamp_clear(&location->m);
  location->writer = thread->s.thread;
}

static bool tso_load(struct rsan_tso_thread *thread, struct rsan_tso_location *location) {
  bool changed = false;
  if (location->writer != thread->l.thread) {
    changed = tso_join(&thread->l, &location->w);
    thread->l_changes += changed;
    tso_join(&thread->s, &location->w);
  }
  tso_note_reader(location, &thread->l);
  return changed;
}

bool rsan_tso_fence(struct rsan_tso_thread *thread) {
  if (thread->l.base == thread->s.base && thread->l.index == thread->s.index)
    return false;
  thread->l_changes += thread->l.base != thread->s.base;
  rsan_stamp_assign(&thread->l, &thread->s);
  return true;
}

bool rsan_tso_access(struct rsan_tso_thread *thread, struct rsan_tso_location *location,
                     enum rsan_tso_class kind, uint64_t sc_index) {
  if (kind == RSAN_TSO_LOAD)
    return tso_load(thread, location);
  if (kind == RSAN_TSO_LOCKED_READ) {
    tso_join(&thread->s, &location->w);
    bool changed = rsan_tso_fence(thread);
    tso_note_reader(location, &thread->s);
    return changed;
  }
  tso_store(thread, location, sc_index);
  return kind == RSAN_TSO_LOCKED && rsan_tso_fence(thread);
}

void rsan_tso_repeat(struct rsan_tso_thread *thread, struct rsan_tso_location *location) {
  const struct rsan_stamp *l = &thread->l;
  if (rsan_stamp_get(rsan_tso_m(location), l->thread) >= l->index)
    return;
  if (rsan_stamp_is_empty(&location->m))
    rsan_stamp_assign(&location->m, &location->w);
  rsan_stamp_raise(&location->m, l);
}

bool rsan_tso_join(struct rsan_tso_thread *thread, const struct rsan_stamp *from) {
  tso_join(&thread->s, from);
  bool changed = tso_join(&thread->l, from);
  thread->l_changes += changed;
  return changed;
}

const struct rsan_stamp *rsan_tso_release(struct rsan_tso_thread *thread, uint64_t sc_index) {
  thread->s.index = sc_index;
  return &thread->s;
}

void rsan_tso_write_after(struct rsan_tso_location *location, const struct rsan_stamp *sync) {
  rsan_stamp_release(&location->w, sync);
  if (!rsan_stamp_is_empty(&location->m))
    rsan_stamp_release(&location->m, sync);
}

uint64_t rsan_tso_known(const struct rsan_tso_thread *thread, const struct rsan_history *history,
                        enum rsan_tso_class kind, uint64_t known) {
  const struct rsan_stamp *view = kind == RSAN_TSO_LOAD ? &thread->l : &thread->s;
  const struct rsan_version *at = history->at;
  for (uint32_t i = history->count; i-- > 0 && at[i].number > known;)
    if (rsan_stamp_get(view, at[i].writer) >= at[i].sc_index)
      return at[i].number;
  return known;
}
