// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Breadth first from the missed write. Both kinds of edges are transitive as far as the search is
// concerned, so what can be reached from an entry is the rest of its thread, and the rest of its
// object's order: each rest is walked once.

#include "cycle.h"

#include "../host.h"

#define UNREACHED UINT32_MAX

struct search {
  const struct rsan_log_snapshot *snapshot;
  uint32_t count;      // entries
  uint32_t *level;     // distance from the missed write
  uint32_t *queue;     // entries that have been reached, nearest first
  uint32_t *thread;    // of an entry
  uint32_t *by_object; // entries by object, and then by their place in its order
  uint32_t *place;     // where an entry is there
  // The first place of an object; for that one, the places from which on all reads, [0], and writes
  // have been reached.
  uint32_t *first, *from[2];
  uint32_t *after; // for a thread: entries from there on have been reached
  uint32_t queued;
};

static const struct rsan_log_entry *entry_of(const struct search *search, uint32_t entry) {
  return &search->snapshot->entries[entry];
}

static bool is_source(const struct rsan_log_entry *entry) {
  return entry->kind == RSAN_LOG_WRITE || entry->kind == RSAN_LOG_RMW ||
         entry->kind == RSAN_LOG_RELEASE;
}

// The order of an object's entries: a version's write comes before its readers, those before the
// next one. (Readers of one version are not ordered, nor do they conflict.)
static bool is_earlier(const struct rsan_log_entry *a, const struct rsan_log_entry *b) {
  if (a->object != b->object)
    return a->object < b->object;
  if (a->number != b->number)
    return a->number < b->number;
  return is_source(a) && !is_source(b);
}

// Merge sort: stable, so that readers of one version stay in program order.
static void sort_by_object(const struct search *search, uint32_t *at, uint32_t *other) {
  for (uint32_t width = 1; width < search->count; width *= 2) {
    for (uint32_t low = 0; low < search->count; low += 2 * width) {
      uint32_t middle = low + width < search->count ? low + width : search->count;
      uint32_t high = middle + width < search->count ? middle + width : search->count;
      uint32_t left = low, right = middle;
      for (uint32_t to = low; to < high; to++) {
        bool take_right =
            left == middle ||
            (right < high && is_earlier(entry_of(search, at[right]), entry_of(search, at[left])));
        other[to] = at[take_right ? right++ : left++];
      }
    }
    uint32_t *sorted = other;
    other = at;
    at = sorted;
  }
  for (uint32_t i = 0; i < search->count; i++)
    search->by_object[i] = at[i];
}

static void start_search(struct search *search, const struct rsan_log_snapshot *snapshot) {
  uint32_t threads = snapshot->thread_count, count = snapshot->threads[threads - 1].end;
  uint32_t *block = rsan_host_alloc(((size_t)count * 8 + threads + 1) * sizeof *block);
  *search = (struct search){.snapshot = snapshot, .count = count};
  uint32_t **parts[] = {&search->level, &search->queue, &search->thread,  &search->by_object,
                        &search->place, &search->first, &search->from[0], &search->from[1]};
  for (uint32_t p = 0; p < sizeof parts / sizeof parts[0]; p++)
    *parts[p] = &block[(size_t)p * count];
  search->after = &block[(size_t)8 * count];
  for (uint32_t t = 0; t < threads; t++) {
    search->after[t] = snapshot->threads[t].end;
    for (uint32_t i = snapshot->threads[t].first; i < snapshot->threads[t].end; i++)
      search->thread[i] = t;
  }
  for (uint32_t i = 0; i < count; i++) {
    search->level[i] = UNREACHED;
    search->place[i] = i;
  }
  sort_by_object(search, search->place, search->first); // which are not in use yet
  for (uint32_t low = 0, high; low < count; low = high) {
    uint64_t object = entry_of(search, search->by_object[low])->object;
    for (high = low; high < count && entry_of(search, search->by_object[high])->object == object;
         high++) {
      search->place[search->by_object[high]] = high;
      search->first[high] = low;
    }
    search->from[0][low] = search->from[1][low] = high;
  }
}

static void mark_reached(struct search *search, uint32_t entry, uint32_t level) {
  if (search->level[entry] != UNREACHED)
    return;
  search->level[entry] = level;
  search->queue[search->queued++] = entry;
}

// Accesses of several sizes conflict if they have a byte in common. (Other entries have no size.)
static bool have_common_byte(const struct rsan_log_entry *a, const struct rsan_log_entry *b) {
  return a->address == b->address || a->kind > RSAN_LOG_RMW || b->kind > RSAN_LOG_RMW ||
         (a->address < b->address + b->size && b->address < a->address + a->size);
}

// Reaches the writes, or else the reads, of an object at the places from `place` on, if they have
// a byte of `what` (NULL: of whatever bytes).
static void follow_kind(struct search *search, const struct rsan_log_entry *what,
                        uint32_t object_first, uint32_t place, bool writes, uint32_t level) {
  uint32_t *from = &search->from[writes][object_first];
  bool all = true;
  for (uint32_t at = place; at < *from; at++) {
    const struct rsan_log_entry *entry = entry_of(search, search->by_object[at]);
    if (is_source(entry) != writes)
      continue;
    if (what && !have_common_byte(what, entry))
      all = false;
    else
      mark_reached(search, search->by_object[at], level);
  }
  if (place < *from && all)
    *from = place;
}

static void follow(struct search *search, uint32_t entry) {
  const struct rsan_log_entry *what = entry_of(search, entry);
  uint32_t level = search->level[entry] + 1, thread = search->thread[entry];
  for (uint32_t later = entry + 1; later < search->after[thread]; later++)
    if (entry_of(search, later)->kind != RSAN_LOG_FENCE)
      mark_reached(search, later, level);
  if (entry + 1 < search->after[thread])
    search->after[thread] = entry + 1;
  if (what->kind == RSAN_LOG_ACQUIRE)
    return;
  uint32_t place = search->place[entry];
  if (what->kind != RSAN_LOG_RELEASE) // releases of one object do not conflict
    follow_kind(search, what, search->first[place], place + 1, true, level);
  if (is_source(what))
    follow_kind(search, what, search->first[place], place + 1, false, level);
}

// The missed write has left the log, so all that its thread's log has comes after it; and so does
// what comes after it in the order of the location.
static void follow_missed(struct search *search, const struct rsan_violation *violation,
                          uint32_t place) {
  if (place < search->count) {
    follow_kind(search, 0, search->first[place], place, true, 1);
    follow_kind(search, 0, search->first[place], place, false, 1);
  }
  for (uint32_t t = 0; t < search->snapshot->thread_count; t++) {
    const struct rsan_log_thread *thread = &search->snapshot->threads[t];
    if (thread->owner != violation->owner)
      continue;
    for (uint32_t entry = thread->first; entry < thread->end; entry++)
      if (entry_of(search, entry)->kind != RSAN_LOG_FENCE)
        mark_reached(search, entry, 1);
    search->after[t] = thread->first;
  }
}

static void find_levels(struct search *search, const struct rsan_violation *violation) {
  const struct rsan_log_entry *first = 0;
  uint32_t place = 0;
  for (; place < search->count && !first; place++) {
    const struct rsan_log_entry *entry = entry_of(search, search->by_object[place]);
    if (entry->object == violation->object && entry->number >= violation->missed)
      first = entry;
  }
  place -= first != 0;
  if (first && first->number == violation->missed && is_source(first))
    mark_reached(search, search->by_object[place], 0);
  else
    follow_missed(search, violation, place);
  uint32_t own_first = search->snapshot->threads[search->snapshot->own].first;
  uint32_t own_end = search->snapshot->threads[search->snapshot->own].end;
  for (uint32_t next = 0; next < search->queued; next++) {
    uint32_t entry = search->queue[next];
    if (entry >= own_first && entry < own_end)
      return; // nothing nearer is to come
    follow(search, entry);
  }
}

static bool has_edge(const struct rsan_log_entry *from, const struct rsan_log_entry *to) {
  if (from->object != to->object || !is_earlier(from, to) || from->kind == RSAN_LOG_ACQUIRE)
    return false;
  if (from->kind == RSAN_LOG_RELEASE)
    return to->kind == RSAN_LOG_ACQUIRE;
  return (is_source(from) || is_source(to)) && have_common_byte(from, to);
}

// The nearest entry from which `entry` was reached: in its object's order, or else in its thread.
static uint32_t find_before(const struct search *search, uint32_t entry) {
  uint32_t level = search->level[entry] - 1, place = search->place[entry];
  for (uint32_t at = place; at > search->first[place]; at--) {
    uint32_t before = search->by_object[at - 1];
    if (search->level[before] == level &&
        has_edge(entry_of(search, before), entry_of(search, entry)))
      return before;
  }
  uint32_t first = search->snapshot->threads[search->thread[entry]].first;
  for (uint32_t before = entry; before > first; before--)
    if (search->level[before - 1] == level)
      return before - 1;
  return RSAN_NOT_LOGGED;
}

static enum rsan_explained take_path(const struct search *search, struct rsan_cycle *cycle) {
  const struct rsan_log_thread *own = &search->snapshot->threads[search->snapshot->own];
  uint32_t last = RSAN_NOT_LOGGED;
  for (uint32_t i = own->first; i < own->end; i++)
    if (search->level[i] != UNREACHED &&
        (last == RSAN_NOT_LOGGED || search->level[i] <= search->level[last]))
      last = i;
  if (last == RSAN_NOT_LOGGED)
    return RSAN_EXPLAIN_LEFT_LOG;
  cycle->count = search->level[last] + 1;
  if (cycle->count >= RSAN_STEPS_MAX) // and the offending access
    return RSAN_EXPLAIN_TOO_LONG;
  for (uint32_t i = cycle->count; i-- > 0; last = i > 0 ? find_before(search, last) : last) {
    cycle->entry[i] = last;
    cycle->thread[i] = last == RSAN_NOT_LOGGED ? RSAN_NOT_LOGGED : search->thread[last];
  }
  return RSAN_EXPLAINED;
}

enum rsan_explained rsan_find_path(struct rsan_cycle *cycle) {
  struct search search;
  start_search(&search, cycle->snapshot);
  find_levels(&search, cycle->violation);
  enum rsan_explained result = take_path(&search, cycle);
  rsan_host_free(search.level); // the block
  return result;
}

enum rsan_step_edge rsan_log_edge(const struct rsan_log_entry *from,
                                  const struct rsan_log_entry *to, bool same_thread) {
  if (same_thread)
    return RSAN_PROGRAM_ORDER;
  if (from->kind == RSAN_LOG_RELEASE)
    return RSAN_SYNCHRONISATION;
  if (from->kind == RSAN_LOG_READ)
    return RSAN_FROM_READ;
  bool reads = (to->kind == RSAN_LOG_READ && from->number == to->number) ||
               (to->kind == RSAN_LOG_RMW && from->number + 1 == to->number);
  return reads ? RSAN_READS_FROM : RSAN_MODIFICATION_ORDER;
}
