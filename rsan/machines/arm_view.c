// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "arm_view.h"

#include "../host.h"

const uint64_t rsan_arm_no_row[RSAN_ARM_ROW];

static bool row_is_at_least(const uint64_t *row, const uint64_t *from) {
  for (unsigned i = 0; i < RSAN_ARM_ROW; i++)
    if (row[i] < from[i])
      return false;
  return true;
}

static bool row_join(uint64_t *row, const uint64_t *from) {
  uint64_t changed = 0;
  for (unsigned i = 0; i < RSAN_ARM_ROW; i++) {
    uint64_t joined = row[i] < from[i] ? from[i] : row[i];
    changed |= joined ^ row[i];
    row[i] = joined;
  }
  return changed;
}

static void drop_table(struct rsan_arm_table *table) {
  if (table && rsan_unshare(&table->references))
    rsan_host_free(table);
}

void rsan_arm_view_clear(struct rsan_arm_view *view) {
  drop_table(view->table);
  *view = (struct rsan_arm_view){0};
}

void rsan_arm_view_assign(struct rsan_arm_view *into, const struct rsan_arm_view *from) {
  if (into->table != from->table) {
    if (from->table)
      rsan_share(&from->table->references);
    drop_table(into->table);
  }
  *into = *from;
}

static uint32_t table_threads(const struct rsan_arm_view *view) {
  return view->table ? view->table->threads : 0;
}

// Does `view` have the rows of the table of `from`, those of `except` and of its own thread aside?
static bool view_covers_others(const struct rsan_arm_view *view, const struct rsan_arm_view *from,
                               uint32_t except) {
  if (view->table == from->table)
    return true;
  for (uint32_t i = 0; i < table_threads(from); i++)
    if (i != from->thread && i != except &&
        !row_is_at_least(rsan_arm_row(view, i), from->table->rows[i]))
      return false;
  return true;
}

bool rsan_arm_view_covers(const struct rsan_arm_view *view, const struct rsan_arm_view *from) {
  if (from->thread != RSAN_MERGED) {
    if (!row_is_at_least(rsan_arm_row(view, from->thread), from->own))
      return false;
    if (from->number)
      return true;
  }
  bool own = view->thread == from->thread || view->thread >= table_threads(from) ||
             row_is_at_least(view->own, from->table->rows[view->thread]);
  return own && view_covers_others(view, from, view->thread);
}

// Makes the table one of `view` alone, with room for so many threads.
static uint64_t (*own_table(struct rsan_arm_view *view, uint32_t threads))[RSAN_ARM_ROW] {
  struct rsan_arm_table *old = view->table;
  uint32_t had = table_threads(view);
  if (old && had >= threads && !rsan_is_shared(&old->references))
    return old->rows;
  threads = ((threads > had ? threads : had) + 3) / 4 * 4;
  struct rsan_arm_table *own =
      rsan_host_alloc(sizeof *own + threads * sizeof(uint64_t[RSAN_ARM_ROW]));
  atomic_init(&own->references, 1);
  own->threads = threads;
  for (uint32_t i = 0; i < threads; i++)
    for (unsigned j = 0; j < RSAN_ARM_ROW; j++)
      own->rows[i][j] = i < had ? old->rows[i][j] : 0;
  view->table = own;
  drop_table(old);
  return own->rows;
}

// Everything of `from` into the table of `view`.
static void fold_view(struct rsan_arm_view *view, const struct rsan_arm_view *from, bool others) {
  uint32_t threads = others ? table_threads(from) : 0, named = from->thread;
  uint64_t(*rows)[RSAN_ARM_ROW] =
      own_table(view, named != RSAN_MERGED && named >= threads ? named + 1 : threads);
  for (uint32_t i = 0; i < threads; i++)
    row_join(rows[i], from->table->rows[i]);
  if (named != RSAN_MERGED)
    row_join(rows[named], from->own);
}

// Joins another view of the same thread. Returns what has changed.
static int join_own_view(struct rsan_arm_view *view, const struct rsan_arm_view *from) {
  bool known = view->table == from->table ||
               (from->number && view->own[from->number] >= from->own[from->number]);
  int changed = row_join(view->own, from->own) ? RSAN_ARM_OWN_CHANGED : RSAN_ARM_SAME;
  if (known || view_covers_others(view, from, view->thread))
    return changed;
  if (view_covers_others(from, view, view->thread)) {
    rsan_share(&from->table->references);
    drop_table(view->table);
    view->table = from->table;
  } else {
    fold_view(view, from, true);
  }
  return RSAN_ARM_OTHERS_CHANGED;
}

int rsan_arm_view_join(struct rsan_arm_view *view, const struct rsan_arm_view *from) {
  if (view->thread == from->thread)
    return join_own_view(view, from);
  int changed = RSAN_ARM_SAME;
  bool row_known = true, others_known = false;
  if (from->thread != RSAN_MERGED) {
    const uint64_t *row = rsan_arm_row(view, from->thread);
    row_known = row_is_at_least(row, from->own);
    others_known = from->number && row[from->number] >= from->own[from->number];
  }
  if (!others_known && view->thread < table_threads(from) &&
      row_join(view->own, from->table->rows[view->thread]))
    changed = RSAN_ARM_OWN_CHANGED;
  others_known = others_known || view_covers_others(view, from, view->thread);
  if (row_known && others_known)
    return changed;
  fold_view(view, from, !others_known);
  return RSAN_ARM_OTHERS_CHANGED;
}

static void view_becomes_merged(struct rsan_arm_view *view) {
  struct rsan_arm_view whole = {.thread = RSAN_MERGED};
  fold_view(&whole, view, true);
  rsan_arm_view_clear(view);
  *view = whole;
}

void rsan_arm_view_raise(struct rsan_arm_view *into, const struct rsan_arm_view *from) {
  if (into->thread == from->thread) {
    row_join(into->own, from->own);
    return;
  }
  if (row_is_at_least(rsan_arm_row(into, from->thread), from->own))
    return;
  if (into->thread != RSAN_MERGED)
    view_becomes_merged(into);
  fold_view(into, from, false);
}

void rsan_arm_view_merge(struct rsan_arm_view *into, const struct rsan_arm_view *from) {
  if (rsan_arm_view_covers(into, from))
    return;
  if (rsan_arm_view_covers(from, into)) {
    rsan_arm_view_assign(into, from);
    return;
  }
  if (into->thread == from->thread && into->thread != RSAN_MERGED) {
    rsan_arm_view_join(into, from);
    into->number = RSAN_ARM_NO_NUMBER;
    return;
  }
  if (into->thread != RSAN_MERGED)
    view_becomes_merged(into);
  fold_view(into, from, true);
}
