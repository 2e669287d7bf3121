// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compact.h"

#include "../host.h"

// Does the newest visible version satisfy the condition, or is it not certain? `first` is visible.
static bool holds_anyway(const struct rsan_sc_view *view, const struct rsan_history *history,
                         const struct rsan_index_table *indices,
                         const struct rsan_condition *condition, const struct rsan_version *first) {
  const struct rsan_version *end = history->at + history->count, *newest = end - 1;
  for (; newest > first && !rsan_compact_is_visible(view, indices, newest); newest--)
    if (newest->sc_index <= rsan_index_sc_floor(indices, newest->writer))
      return true;
  bool next_is_missing =
      newest + 1 < end ? newest[1].number != newest->number + 1 : newest->number != history->newest;
  return next_is_missing || rsan_condition_holds(condition, newest->wrote);
}

const struct rsan_version *rsan_compact_check(const struct rsan_sc_view *view,
                                              const struct rsan_history *history,
                                              const struct rsan_index_table *indices,
                                              const struct rsan_access *access, uint64_t known) {
  // The visible versions are a prefix, so the first one that matters decides. (Under a floor the
  // prefix has holes; taking the first alone then misses violations and invents none.)
  const struct rsan_version *first = rsan_history_first(history, known, access);
  if (!first || !rsan_compact_is_visible(view, indices, first))
    return 0;
  if (access->check == RSAN_CHECK_WAIT && access->expected.alone &&
      holds_anyway(view, history, indices, &access->expected, first))
    return 0;
  return first;
}

const struct rsan_stamp *rsan_sc_release(struct rsan_sc_view *view) {
  if (view->changed)
    rsan_sc_step(view);
  return &view->vs;
}

// A stamp that is not whole, after a forced reuse of an index, leaves VS too small, which hides.
void rsan_sc_join(struct rsan_sc_view *view, const struct rsan_stamp *from) {
  if (rsan_stamp_covers(&view->vs, from) || !rsan_stamp_join(&view->vs, from))
    return;
  view->changed = true;
  rsan_fast_view_changed(&view->fast, true);
}

// MS, in which others' views are, joins VS. It lacks nothing but the thread's own entry if it has
// what the thread had released when VS was made what it is.
static void show_beside_others(const struct rsan_sc_view *view, struct rsan_stamp *m) {
  const struct rsan_stamp *vs = &view->vs;
  uint64_t shown = rsan_stamp_get(m, vs->thread);
  if (m->thread != RSAN_MERGED || shown < view->since) {
    rsan_stamp_release(m, vs);
    return;
  }
  if (shown < vs->index)
    rsan_stamp_raise(m, vs);
  RSAN_ASSERT(rsan_stamp_is_at_least(m, vs), "a stamp is not whole in the SC order");
}

void rsan_compact_show(struct rsan_sc_view *view, struct rsan_compact_location *location) {
  const struct rsan_stamp *vs = rsan_sc_release(view);
  struct rsan_stamp *m = &location->m;
  if (rsan_compact_is_written_last(location)) {
    if (!rsan_stamp_covers(&location->w, vs))
      rsan_stamp_assign(m, vs); // it has WS
  } else if (m->thread == vs->thread && m->base == vs->base) {
    m->index = vs->index;
  } else {
    show_beside_others(view, m);
  }
}

void rsan_compact_read(struct rsan_sc_view *view, struct rsan_compact_location *location) {
  rsan_sc_join(view, &location->w);
  rsan_compact_show(view, location);
}

uint64_t rsan_compact_update(struct rsan_sc_view *view, struct rsan_compact_location *location,
                             const struct rsan_access *access) {
  if (access->kind == RSAN_READ) {
    rsan_compact_read(view, location);
    return 0;
  }
  bool unread = rsan_compact_is_written_last(location);
  rsan_sc_join(view, unread ? &location->w : &location->m);
  rsan_sc_step(view);
  rsan_stamp_assign(&location->w, &view->vs);
  if (!unread)
    rsan_stamp_clear(&location->m);
  return view->vs.index;
}

void rsan_compact_location_restart(struct rsan_compact_location *location) {
  rsan_stamp_clear(&location->w);
  rsan_stamp_clear(&location->m);
  rsan_records_restart(&location->records);
}

void rsan_compact_location_clear(struct rsan_compact_location *location) {
  rsan_compact_location_restart(location);
  rsan_records_clear(&location->records);
}
