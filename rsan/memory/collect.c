// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "collect.h"

#include "../host.h"
#include "reach.h"

#ifdef RSAN_VERIFY
enum { VERIFIES = true };
#else
enum { VERIFIES = false };
#endif

// For VERIFY builds: copies of history and records, on which the collection is made once more with
// the obvious form of the question which versions and records the clocks still need.
struct twin {
  struct rsan_history history;
  struct rsan_records records;
};

struct collection {
  struct rsan_history *history;
  struct rsan_records *records;
  uint64_t base, most; // versions that all threads know, and all but a few
  uint32_t known;      // records up to the base, which go
  uint32_t early;      // versions that are not among the last, which are kept in any case
  bool bounded, patient;
  bool within;               // a clock may reach some records, and not a thread's newest
  bool asks;                 // clocks what they need
  enum rsan_reach_form form; // in which; NONE: the obvious one
  uint64_t limit;            // versions above it are not forgotten, though all threads know them
  uint32_t merged, dropped;  // records and versions, so far
  bool has_moved;            // VERIFY builds: a clock came `within` after it was asked
  struct twin twin;          // VERIFY builds
};

static void *copy_of(const void *block, size_t size) {
  return size ? rsan_host_memcpy(rsan_host_alloc(size), block, size) : 0;
}

static void twin_begin(struct twin *twin, const struct rsan_history *history,
                       const struct rsan_records *records) {
  twin->history = *history;
  twin->records = *records;
  twin->history.at = copy_of(history->at, history->count * sizeof *history->at);
  twin->records.at = copy_of(records->at, records->count * sizeof *records->at);
  rsan_plain_link(&twin->records);
}

static bool twin_equals(const struct twin *twin, const struct rsan_history *history,
                        const struct rsan_records *records) {
  bool equal = twin->history.count == history->count && twin->records.count == records->count &&
               twin->records.base == records->base;
  for (uint32_t i = 0; equal && i < history->count; i++)
    equal = twin->history.at[i].number == history->at[i].number && !history->at[i].pinned;
  for (uint32_t i = 0; equal && i < records->count; i++)
    equal = twin->records.at[i].thread == records->at[i].thread &&
            twin->records.at[i].epoch == records->at[i].epoch &&
            twin->records.at[i].version == records->at[i].version;
  return equal;
}

static void twin_end(struct twin *twin) {
  rsan_host_free(twin->history.at);
  rsan_host_free(twin->records.at);
}

static bool hold(const struct collection *collection, struct rsan_hb *hb) {
  if (!collection->patient)
    return rsan_try_lock(&hb->moving);
  rsan_lock(&hb->moving);
  return true;
}

// T_c of the running threads that know least, the least first: of all that may be far behind, and
// of one more, who knows what all threads but a few know.
struct least {
  uint64_t known[RSAN_COLLECT_FAR_BEHIND + 1];
  uint32_t count, room;
};

static void least_begin(struct least *least, const struct rsan_views *views) {
  uint32_t running = 0;
  for (const struct rsan_view *view = views->first; view; view = view->next)
    running += view->running;
  uint32_t few = running / RSAN_COLLECT_THREADS_FOR_ONE;
  least->room = 1 + (few < RSAN_COLLECT_FAR_BEHIND ? few : RSAN_COLLECT_FAR_BEHIND);
  least->count = 0;
}

static void note_known(struct least *least, uint64_t known) {
  uint32_t at = least->count;
  if (at < least->room)
    least->count++;
  else if (known >= least->known[--at])
    return;
  for (; at > 0 && least->known[at - 1] > known; at--)
    least->known[at] = least->known[at - 1];
  least->known[at] = known;
}

// Returns whether one thread made all records, and another thread exists. (Without another thread
// all threads know the newest version.)
static inline bool are_of_one_thread(const struct rsan_records *records,
                                     const struct rsan_views *views) {
  const struct rsan_record *at = records->at;
  uint32_t count = records->count;
  if (!count || at[count - 1].thread != at->thread || !views->first || !views->first->next)
    return false;
  for (uint32_t i = 1; i < count; i++)
    if (at[i].thread != at->thread)
      return false;
  return true;
}

// Returns T_c. With `of_one`, one comparison shows that the clock reaches no record.
static inline uint64_t known_by(const struct rsan_records *records, const struct rsan_stamp *clock,
                                bool of_one) {
  if (of_one && rsan_stamp_get(clock, records->at->thread) < records->at->epoch)
    return records->base;
  return rsan_records_known(records, clock);
}

// Returns whether a clock reaches some of the records of one thread, but not the newest. If no
// clock does, every clock knows the newest version or the base alone, and no record has to be
// marked.
static bool reaches_within(const struct rsan_records *records, const struct rsan_hb *hb) {
  const struct rsan_record *oldest = records->at, *newest = rsan_records_newest(records);
  const struct rsan_stamp *clocks[] = {&hb->c, &hb->a, &hb->r};
  for (unsigned i = 0; i < sizeof clocks / sizeof *clocks; i++) {
    uint64_t epoch = rsan_hb_peek(clocks[i], oldest->thread);
    if (epoch >= oldest->epoch && epoch < newest->epoch)
      return true;
  }
  return false;
}

// False: a view was moving, and nobody is patient. `of_one` is a constant: has one thread made all
// records?
static inline __attribute__((always_inline)) bool
ask_what_is_known(struct collection *collection, const struct rsan_views *views, bool of_one) {
  const struct rsan_records *records = collection->records;
  struct least least;
  least_begin(&least, views);
  for (const struct rsan_view *view = views->first; view; view = view->next) {
    if (!view->running && !of_one)
      continue;
    if (!hold(collection, view->hb))
      return false;
    if (view->running)
      note_known(&least, known_by(records, &view->hb->c, of_one));
    if (of_one && !collection->within)
      collection->within = reaches_within(records, view->hb);
    rsan_unlock(&view->hb->moving);
  }
  collection->base = records->base;
  collection->most = 0;
  if (!least.count)
    return true;
  if (least.known[0] > collection->base)
    collection->base = least.known[0];
  if (collection->base > collection->limit)
    collection->base = collection->limit;
  collection->most = least.known[least.count - 1];
  return true;
}

static bool ask_what_all_know(struct collection *collection, const struct rsan_views *views) {
  collection->within = !are_of_one_thread(collection->records, views);
  return collection->within ? ask_what_is_known(collection, views, false)
                            : ask_what_is_known(collection, views, true);
}

// Is there a record that is kept only if a clock needs it, or a version kept for such a one?
static bool is_any_asked_for(const struct collection *collection) {
  const struct rsan_record *at = collection->records->at;
  uint32_t count = collection->records->count, early = collection->early;
  uint64_t most = collection->most, pinning = early ? collection->history->at[early - 1].number : 0;
  if (!collection->bounded)
    return false;
  for (uint32_t i = collection->known; i < count; i++) {
    const struct rsan_record *next = &at[i + at[i].next];
    bool newest = next == &at[i], pins = at[i].version < pinning;
    if (newest ? pins && at[i].version < most
               : next->epoch != at[i].epoch &&
                     (pins || at[i].rank >= RSAN_COLLECT_KEPT || next->version <= most))
      return true;
  }
  return false;
}

// Marks the records that clocks need. False: a view was moving.
static bool ask_all_clocks(struct collection *collection, const struct rsan_views *views,
                           struct rsan_reach *reach) {
  for (const struct rsan_view *view = views->first; view; view = view->next) {
    struct rsan_hb *hb = view->hb;
    if (!hold(collection, hb))
      return false;
    struct rsan_stamp c = hb->c;
    c.index = rsan_hb_peek(&hb->c, hb->c.thread); // may move on meanwhile
    struct rsan_hb_clocks clocks = {&c, &hb->a, &hb->r};
    if (collection->asks && collection->form == RSAN_REACH_FEW)
      rsan_reach_mark(reach, &clocks);
    else if (collection->asks && collection->form == RSAN_REACH_MANY)
      rsan_reach_mark_many(reach, &clocks);
    else if (collection->asks)
      rsan_plain_mark(collection->records, &clocks);
    if (VERIFIES)
      rsan_plain_mark(&collection->twin.records, &clocks);
    if (VERIFIES && !collection->within && reaches_within(collection->records, hb))
      collection->has_moved = true;
    rsan_unlock(&hb->moving);
  }
  return true;
}

// The number of records of versions up to `base`; links those after them. Sets the form.
static uint32_t link_above(struct rsan_records *records, uint64_t base, struct rsan_reach *reach,
                           enum rsan_reach_form *form) {
  uint32_t known = rsan_records_up_to(records, base);
  *form = rsan_reach_begin(reach, records->at + known, records->count - known);
  if (*form == RSAN_REACH_NONE)
    rsan_plain_link(records);
  return known;
}

// Does the same where one thread made all records, and no clock needs any of them.
static uint32_t link_one(struct rsan_records *records, uint64_t base) {
  struct rsan_record *at = records->at;
  uint32_t known = rsan_records_up_to(records, base), count = records->count;
  for (uint32_t i = known; i < count; i++) {
    uint32_t later = count - 1 - i;
    at[i].next = later > 0;
    at[i].previous = i > known;
    at[i].rank =
        (later < RSAN_RECORD_RANK_MAX ? later : RSAN_RECORD_RANK_MAX) & RSAN_RECORD_RANK_MAX;
    at[i].live = false;
  }
  return known;
}

static bool look_at_views(struct collection *collection, struct rsan_views *views) {
  struct rsan_reach reach;
  if (!ask_what_all_know(collection, views))
    return false;
  if (!collection->within) {
    collection->known = link_one(collection->records, collection->base);
    collection->asks = false;
    return !VERIFIES || ask_all_clocks(collection, views, 0);
  }
  collection->known = link_above(collection->records, collection->base, &reach, &collection->form);
  collection->asks = is_any_asked_for(collection);
  bool looked = !(collection->asks || VERIFIES) || ask_all_clocks(collection, views, &reach);
  rsan_reach_end(&reach);
  return looked;
}

// Is the record, which a later one of its thread follows, to be merged into that?
static bool is_merged(const struct rsan_record *record, const struct rsan_record *next,
                      uint64_t most) {
  return !record->live && (record->rank >= RSAN_COLLECT_KEPT || next->version <= most);
}

// Drops the first `known` records, up to the base, and merges upward those that are not to be kept.
// Returns the number of merged ones.
static uint32_t collect_records(struct rsan_records *records, uint32_t known, uint64_t base,
                                uint64_t most, bool bounded) {
  struct rsan_record *at = records->at;
  uint32_t kept = 0, merged = 0, count = records->count;
  records->base = base;
  for (uint32_t i = known; i < count; i++) {
    struct rsan_record *next = &at[i + at[i].next];
    bool superseded = at[i].next && next->epoch == at[i].epoch;
    if (superseded || (bounded && at[i].next && is_merged(&at[i], next, most))) {
      next->epoch = at[i].epoch;
      merged += !superseded;
      continue;
    }
    at[i].rank = !at[i].next; // from here on: the thread's newest
    at[kept++] = at[i];
  }
  records->count = kept;
  return merged;
}

uint32_t rsan_collect_records(struct rsan_records *records, uint64_t base, bool bounded) {
  struct rsan_reach reach;
  enum rsan_reach_form form;
  records->base = base;
  if (!records->count)
    return 0;
  uint32_t known = link_above(records, base, &reach, &form);
  rsan_reach_end(&reach);
  return collect_records(records, known, base, 0, bounded);
}

// Pins what comes after the base, after what a live thread knows, and after what a thread's newest
// record says, among the versions at[first..early].
static void pin_known(struct rsan_history *history, uint32_t first, uint32_t early,
                      const struct rsan_records *records, uint64_t most) {
  struct rsan_version *at = &history->at[first], *end = &history->at[early];
  const struct rsan_record *record = records->at, *records_end = record + records->count;
  at->pinned = true;
  for (; record < records_end; record++) {
    if (!record->live && !(record->rank && record->version >= most))
      continue;
    while (at->number <= record->version)
      if (++at == end)
        return;
    at->pinned = true;
  }
}

struct firsts {
  struct rsan_version *plain, *different;
  struct rsan_version *match[RSAN_CRITICAL_CONDITIONS], *plain_match[RSAN_CRITICAL_CONDITIONS];
};

static void note_matches(struct firsts *first, const struct rsan_history *history,
                         struct rsan_version *version) {
  for (uint32_t i = 0; i < rsan_history_criticals(history); i++)
    if (rsan_condition_holds(&history->critical->at[i], version->overwrote)) {
      first->match[i] = version;
      if (version->plain)
        first->plain_match[i] = version;
    }
}

static void pin(struct rsan_version *version) {
  if (version)
    version->pinned = true;
}

// From the pins 'first after t' to all that a check by someone who knows t can be about. Backward,
// so that the firsts from each version on are at hand; what they pin comes later and is not
// visited again, so it pins nothing itself.
static void pin_checks(struct rsan_history *history, uint32_t from, uint32_t early) {
  struct rsan_version *at = history->at;
  uint32_t criticals = rsan_history_criticals(history);
  struct firsts first;
  first.plain = first.different = 0;
  for (uint32_t c = 0; c < criticals; c++)
    first.match[c] = first.plain_match[c] = 0;
  for (uint32_t i = early; i-- > from;) {
    if (at[i].plain)
      first.plain = &at[i];
    if (i + 1 < early && !rsan_value_equal(at[i + 1].overwrote, at[i].overwrote))
      first.different = &at[i + 1];
    note_matches(&first, history, &at[i]);
    if (!at[i].pinned)
      continue;
    pin(first.plain);
    pin(first.different);
    for (uint32_t c = 0; c < criticals; c++) {
      pin(first.match[c]);
      pin(first.plain_match[c]);
    }
  }
}

// Keeps of the versions at[first..] those that are pinned, and the last.
static void drop_versions(struct collection *collection, uint32_t first) {
  struct rsan_history *history = collection->history;
  struct rsan_version *at = history->at;
  uint32_t kept = 0, i = first, count = history->count;
  for (; i < collection->early; i++) {
    if (!at[i].pinned) {
      collection->dropped++;
      continue;
    }
    at[i].pinned = false;
    at[kept++] = at[i];
  }
  if (kept == i)
    return;
  while (i < count)
    at[kept++] = at[i++];
  history->count = kept;
}

static void forget(struct collection *collection) {
  struct rsan_history *history = collection->history;
  struct rsan_records *records = collection->records;
  uint32_t first = 0, early = collection->early;
  collection->merged = collect_records(records, collection->known, collection->base,
                                       collection->most, collection->bounded);
  while (first < history->count && history->at[first].number <= records->base)
    first++;
  if (first < early) {
    pin_known(history, first, early, records, collection->most);
    pin_checks(history, first, early);
  }
  drop_versions(collection, first);
}

// Asserts that the collection keeps the same as its obvious form, which asks every clock what it
// still needs.
static void verify(const struct collection *collection) {
  struct collection obvious = *collection;
  obvious.history = &obvious.twin.history;
  obvious.records = &obvious.twin.records;
  obvious.merged = obvious.dropped = 0;
  forget(&obvious);
  RSAN_ASSERT(twin_equals(&obvious.twin, collection->history, collection->records) &&
                  obvious.merged == collection->merged && obvious.dropped == collection->dropped,
              "a collection and its obvious form do not keep the same");
}

bool rsan_collect(struct rsan_history *history, struct rsan_records *records,
                  struct rsan_views *views, bool bounded, bool patient, uint64_t limit,
                  struct rsan_counters *counters) {
  struct collection collection;
  collection.history = history;
  collection.records = records;
  collection.bounded = bounded;
  collection.patient = patient;
  collection.limit = limit;
  collection.early =
      bounded && history->count > RSAN_COLLECT_KEPT ? history->count - RSAN_COLLECT_KEPT : 0;
  collection.merged = collection.dropped = 0;
  collection.has_moved = false;
  if (VERIFIES)
    twin_begin(&collection.twin, history, records);
  rsan_lock_shared(&views->lock);
  bool looked = look_at_views(&collection, views);
  rsan_unlock_shared(&views->lock);
  if (looked)
    forget(&collection);
  if (looked && VERIFIES && !collection.has_moved)
    verify(&collection);
  if (VERIFIES)
    twin_end(&collection.twin);
  if (collection.merged)
    RSAN_ADD(counters, merged_records, collection.merged);
  if (collection.dropped)
    RSAN_ADD(counters, dropped_versions, collection.dropped);
  return looked;
}
