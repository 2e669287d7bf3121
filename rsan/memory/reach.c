// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reach.h"

#include "../host.h"

// Slot of the thread: its own, or the free one where it would be.
static inline uint32_t slot_of(const uint16_t *slots, const struct rsan_reach_thread *of,
                               uint32_t last, uint32_t thread) {
  uint32_t slot = thread & last;
  while (slots[slot] && of[slots[slot] - 1].thread != thread)
    slot = (slot + 1) & last;
  return slot;
}

// `few` is a constant in each call: with few threads, the tables in the structure itself are used.
#define FEW_OR_MANY __attribute__((always_inline)) static inline

FEW_OR_MANY const struct rsan_reach_thread *all_of(const struct rsan_reach *reach, bool few) {
  return few ? reach->few : reach->of;
}

FEW_OR_MANY uint32_t *passed_of(struct rsan_reach *reach, bool few) {
  return few ? reach->few_passed : reach->passed;
}

// Returns the thread's entry, or null if the thread has no records.
FEW_OR_MANY const struct rsan_reach_thread *find_thread(const struct rsan_reach *reach, bool few,
                                                        uint32_t thread) {
  const uint16_t *slots = few ? reach->few_slots : reach->slots;
  const struct rsan_reach_thread *all = all_of(reach, few);
  uint32_t number = slots[slot_of(slots, all, few ? RSAN_REACH_SLOTS - 1 : reach->last, thread)];
  return number ? &all[number - 1] : 0;
}

// The record, at `place`, is the thread's oldest so far.
static void add_older(struct rsan_reach_thread *of, struct rsan_record *at, uint32_t place) {
  RSAN_ASSERT(at[place].epoch <= of->oldest, "a thread's records fall by epoch");
  uint32_t distance = of->first - place;
  of->count += of->count < RSAN_RECORD_RANK_MAX;
  of->scattered |= distance > 1;
  of->oldest = at[place].epoch;
  at[of->first].previous = distance & RSAN_RECORD_DISTANCE_MAX;
  of->first = place;
  at[place].next = distance & RSAN_RECORD_DISTANCE_MAX;
  at[place].previous = 0;
  at[place].rank = of->count & RSAN_RECORD_RANK_MAX;
  at[place].live = false;
}

// False: there are more threads than room. (The room is a constant where few threads are usual.)
FEW_OR_MANY bool add_all(struct rsan_reach *reach, struct rsan_record *at, uint32_t count, bool few,
                         const uint32_t room) {
  uint16_t *slots = few ? reach->few_slots : reach->slots;
  struct rsan_reach_thread *all = few ? reach->few : reach->of;
  uint32_t threads = 0;
  for (uint32_t i = 0; i < 2 * room; i++)
    slots[i] = 0;
  for (uint32_t i = count; i-- > 0;) {
    uint32_t slot = slot_of(slots, all, 2 * room - 1, at[i].thread);
    if (slots[slot]) {
      add_older(&all[slots[slot] - 1], at, i);
      continue;
    }
    if (threads == room)
      return false;
    struct rsan_reach_thread *of = &all[threads];
    of->oldest = of->newest = at[i].epoch;
    of->thread = at[i].thread;
    of->first = i;
    of->end = i + 1;
    of->count = 0;
    of->scattered = false;
    at[i].next = at[i].previous = at[i].rank = 0;
    at[i].live = false;
    slots[slot] = (uint16_t)++threads;
  }
  all[threads].end = 0;
  reach->at = at;
  return true;
}

// Makes room for so many threads, in one block. Returns for how many.
static uint32_t take_block(struct rsan_reach *reach, uint32_t threads) {
  uint32_t room = RSAN_REACH_THREADS;
  while (room < threads)
    room *= 2;
  size_t of = (room + 1) * sizeof *reach->of, passed = room * sizeof *reach->passed;
  char *block = rsan_host_alloc(of + passed + 2 * room * sizeof *reach->slots);
  reach->block = block;
  reach->of = (struct rsan_reach_thread *)block;
  reach->passed = (uint32_t *)(block + of);
  reach->slots = (uint16_t *)(block + of + passed);
  reach->last = 2 * room - 1;
  return room;
}

enum rsan_reach_form rsan_reach_begin(struct rsan_reach *reach, struct rsan_record *at,
                                      uint32_t count) {
  reach->block = 0;
  if (count > RSAN_RECORD_DISTANCE_MAX)
    return RSAN_REACH_NONE;
  if (add_all(reach, at, count, true, RSAN_REACH_THREADS))
    return RSAN_REACH_FEW;
  add_all(reach, at, count, false, take_block(reach, count));
  return RSAN_REACH_MANY;
}

// How far one clock reaches. `passed` of rsan_reach has the newest reached record of each thread.
struct reached {
  uint32_t count;   // of records, up to the newest one that the clock reaches
  uint32_t threads; // that also have newer records, and may matter
};

// Place of the newest of a thread's records that are side by side that the entry `epoch` reaches:
// the oldest one is reached, and the newest is not.
static uint32_t search(const struct rsan_reach_thread *of, const struct rsan_record *at,
                       uint64_t epoch) {
  uint32_t low = of->first, high = of->end - 1;
  while (high - low > 1) {
    uint32_t middle = low + (high - low) / 2;
    if (at[middle].epoch <= epoch)
      low = middle;
    else
      high = middle;
  }
  return low;
}

// From the thread's newest record to the one that the entry `epoch` of a clock reaches. If the one
// after that is not newer than a record that the clock reaches, it does not matter.
FEW_OR_MANY void step_back(struct rsan_reach *reach, bool few, const struct rsan_reach_thread *of,
                           uint64_t epoch, struct reached *reached) {
  const struct rsan_record *at = reach->at;
  uint32_t i = of->end - 1;
  if (epoch < of->newest) {
    if (!of->scattered) {
      i = search(of, at, epoch);
      if (i + 1 < reached->count)
        return;
    } else {
      do
        i -= at[i].previous;
      while (at[i].epoch > epoch && i >= reached->count);
      if (at[i].epoch > epoch)
        return;
    }
    passed_of(reach, few)[reached->threads++] = i;
  }
  if (i >= reached->count)
    reached->count = i + 1;
}

FEW_OR_MANY void find_reached(struct rsan_reach *reach, bool few, const struct rsan_stamp *clock,
                              struct reached *reached) {
  reached->count = reached->threads = 0;
  if (!clock->base) { // nothing of other threads
    const struct rsan_reach_thread *of =
        clock->thread == RSAN_MERGED ? 0 : find_thread(reach, few, clock->thread);
    if (of && clock->index >= of->oldest)
      step_back(reach, few, of, clock->index, reached);
    return;
  }
  const uint64_t *entries = clock->base->entries;
  uint32_t size = clock->base->size;
  for (const struct rsan_reach_thread *of = all_of(reach, few); of->end > reached->count; of++) {
    uint64_t epoch = of->thread == clock->thread ? clock->index
                     : of->thread < size         ? entries[of->thread]
                                                 : 0;
    if (epoch >= of->oldest)
      step_back(reach, few, of, epoch, reached);
  }
}

// What the clock needs, which knows version `known` in any case. Returns the version that it knows,
// or `known` if that is newer.
FEW_OR_MANY uint64_t mark_for(struct rsan_reach *reach, bool few, const struct rsan_stamp *clock,
                              uint64_t known) {
  struct rsan_record *at = reach->at;
  struct reached reached;
  find_reached(reach, few, clock, &reached);
  if (!reached.count)
    return known;
  struct rsan_record *newest = &at[reached.count - 1];
  if (newest->version >= known) {
    newest->live = true;
    known = newest->version;
  }
  for (uint32_t i = 0; i < reached.threads; i++) {
    struct rsan_record *record = &at[passed_of(reach, few)[i]];
    if (record[record->next].version > known)
      record->live = true;
  }
  return known;
}

// Do both clocks of a thread, equal but for its own entry, reach the same records?
FEW_OR_MANY bool reach_the_same(const struct rsan_reach *reach, bool few,
                                const struct rsan_stamp *clock, const struct rsan_stamp *earlier) {
  const struct rsan_reach_thread *of = find_thread(reach, few, clock->thread);
  return !of || earlier->index >= of->newest || clock->index < of->oldest;
}

// What an acquire fence would add counts with what the thread knows already. The clock of the last
// release fence often differs by the thread's own entry alone.
FEW_OR_MANY void mark(struct rsan_reach *reach, bool few, const struct rsan_hb_clocks *clocks) {
  const struct rsan_stamp *c = clocks->c, *a = clocks->a, *r = clocks->r;
  uint64_t known = mark_for(reach, few, c, 0);
  if (a->base)
    mark_for(reach, few, a, known);
  if (r->index && (r->base != c->base || !reach_the_same(reach, few, c, r)))
    mark_for(reach, few, r, 0);
}

void rsan_reach_mark(struct rsan_reach *reach, const struct rsan_hb_clocks *clocks) {
  mark(reach, true, clocks);
}

void rsan_reach_mark_many(struct rsan_reach *reach, const struct rsan_hb_clocks *clocks) {
  mark(reach, false, clocks);
}

// --- the obvious form ---

// Tells each record of the thread's next one. A distance that does not fit counts as none, which
// keeps a record too many.
void rsan_plain_link(struct rsan_records *records) {
  struct rsan_record *at = records->at;
  for (uint32_t i = records->count; i-- > 0;) {
    at[i].next = at[i].previous = at[i].rank = 0;
    at[i].live = false;
    for (uint32_t j = i + 1; j < records->count && j - i <= RSAN_RECORD_DISTANCE_MAX; j++) {
      if (at[j].thread != at[i].thread)
        continue;
      at[i].next = at[j].previous = (j - i) & RSAN_RECORD_DISTANCE_MAX;
      at[i].rank = at[j].rank < RSAN_RECORD_RANK_MAX ? at[j].rank + 1u : RSAN_RECORD_RANK_MAX;
      break;
    }
  }
}

static bool plain_reaches(const struct rsan_stamp *clock, const struct rsan_record *record) {
  return record->epoch <= rsan_stamp_get(clock, record->thread);
}

// Number of records up to the newest one that the clock reaches. Its T_c is that one's version.
static uint32_t plain_reached(const struct rsan_stamp *clock, const struct rsan_records *records) {
  const struct rsan_record *at = records->at;
  uint32_t count = records->count;
  while (count > 0 && !plain_reaches(clock, &at[count - 1]))
    count--;
  return count;
}

static uint64_t plain_known_by(const struct rsan_records *records, uint32_t count) {
  return count ? records->at[count - 1].version : records->base;
}

// The record that T_c is from. And were a record merged into the thread's next one, a clock that
// reaches the first and not the second would know more than before, unless it does in any case:
// `known`. So the second is among those after the `count` that end with the newest one reached.
static void plain_mark_live(struct rsan_records *records, const struct rsan_stamp *clock,
                            uint32_t count, uint64_t known) {
  struct rsan_record *at = records->at;
  if (count && at[count - 1].version >= known)
    at[count - 1].live = true;
  for (uint32_t i = records->count; i-- > count && at[i].version > known;) {
    struct rsan_record *previous = &at[i - at[i].previous];
    if (at[i].previous && !previous->live && plain_reaches(clock, previous))
      previous->live = true;
  }
}

void rsan_plain_mark(struct rsan_records *records, const struct rsan_hb_clocks *clocks) {
  uint32_t count = plain_reached(clocks->c, records);
  uint64_t known = plain_known_by(records, count);
  plain_mark_live(records, clocks->c, count, known);
  count = plain_reached(clocks->a, records);
  uint64_t after_fence = plain_known_by(records, count);
  plain_mark_live(records, clocks->a, count, after_fence > known ? after_fence : known);
  count = plain_reached(clocks->r, records);
  plain_mark_live(records, clocks->r, count, plain_known_by(records, count));
}
