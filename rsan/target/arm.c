// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "arm.h"

#include "../host.h"
#include "../limits.h"

static uint32_t arm_entry(uint32_t thread, enum rsan_arm_class class) {
  return thread * RSAN_ARM_CLASSES + class;
}

void rsan_arm_thread_init(struct rsan_arm_thread *thread, uint32_t index, const uint64_t *epochs) {
  *thread = (struct rsan_arm_thread){.index = index};
  thread->start = epochs ? epochs[RSAN_ARM_ALL] : 1;
  for (unsigned class = 0; class < RSAN_ARM_CLASSES; class ++)
    thread->epoch[class] = epochs ? epochs[class] : 1;
}

void rsan_arm_thread_clear(struct rsan_arm_thread *thread) {
  rsan_clock_clear(&thread->base);
  rsan_clock_clear(&thread->all);
  rsan_clock_clear(&thread->rd);
  rsan_clock_clear(&thread->lv);
  rsan_clock_clear(&thread->read);
  rsan_clock_clear(&thread->written);
}

// The location has been written from outside: the clocks stay, which only hides.
void rsan_arm_location_restart(struct rsan_arm_location *location) {
  location->count = 0;
  location->writer = 0;
  location->updated = false;
  location->repeats.thread = 0;
}

void rsan_arm_location_clear(struct rsan_arm_location *location) {
  rsan_clock_clear(&location->w);
  rsan_clock_clear(&location->r);
  rsan_clock_clear(&location->m);
  rsan_clock_clear(&location->own);
  rsan_host_free(location->records);
}

// The thread's own accesses of that class so far, into a view of it. Later ones are not in there.
static void arm_export(struct rsan_arm_thread *thread, enum rsan_arm_class class,
                       struct rsan_clock *into) {
  rsan_clock_set(into, arm_entry(thread->index - thread->first, class), thread->epoch[class]++);
}

static bool arm_covers(const struct rsan_clock *view, const struct rsan_arm_record *record) {
  for (unsigned class = 0; class < RSAN_ARM_CLASSES; class ++)
    if (record->epoch[class] &&
        rsan_clock_get(view, arm_entry(record->thread, class)) >= record->epoch[class])
      return true;
  return false;
}

static uint64_t arm_newest_in(const struct rsan_arm_location *location,
                              const struct rsan_clock *view, uint64_t known) {
  for (uint32_t i = location->count; i-- > 0 && location->records[i].version > known;)
    if (arm_covers(view, &location->records[i]))
      return location->records[i].version;
  return known;
}

uint64_t rsan_arm_known(const struct rsan_arm_thread *thread,
                        const struct rsan_arm_location *location,
                        const struct rsan_arm_access *access, uint64_t known) {
  known = arm_newest_in(location, &thread->base, known);
  if (access->reads && access->rcsc)
    known = arm_newest_in(location, &thread->lv, known);
  if (access->writes && access->releases)
    known = arm_newest_in(location, &thread->all, known);
  return known;
}

// Whoever knows the older one of a thread's records knows the newer one from now on. Several at
// once, the oldest ones.
static void arm_merge_oldest(struct rsan_arm_location *location) {
  struct rsan_arm_record *at = location->records;
  uint32_t kept = 0, merged = 0;
  for (uint32_t i = 0; i < location->count; i++) {
    uint32_t j = merged < RSAN_ARM_RECORDS / 4 ? i + 1 : location->count;
    while (j < location->count && at[j].thread != at[i].thread)
      j++;
    if (j == location->count) {
      at[kept++] = at[i];
      continue;
    }
    merged++;
    for (unsigned class = 0; class < RSAN_ARM_CLASSES; class ++)
      if (at[i].epoch[class])
        at[j].epoch[class] = at[i].epoch[class];
  }
  location->count = kept;
}

// Is whoever knows the older one sure to know the newer one, and is nothing between them?
static bool arm_replaces(const struct rsan_arm_record *newer, const struct rsan_arm_record *older) {
  if (newer->thread != older->thread || newer->version < older->version)
    return false;
  for (unsigned class = 0; class < RSAN_ARM_CLASSES; class ++)
    if (older->epoch[class] && older->epoch[class] != newer->epoch[class])
      return false;
  return true;
}

static void arm_record(const struct rsan_arm_thread *thread, struct rsan_arm_location *location,
                       uint64_t version, const bool *in_class, uint32_t keep) {
  if (!version)
    return;
  struct rsan_arm_record record = {.version = version, .thread = thread->index};
  for (unsigned class = 0; class < RSAN_ARM_CLASSES; class ++)
    record.epoch[class] = in_class[class] ? thread->epoch[class] : 0;
  if (location->count && arm_replaces(&record, &location->records[location->count - 1])) {
    location->records[location->count - 1] = record;
    return;
  }
  if (keep && location->count >= keep)
    arm_merge_oldest(location);
  if (location->count == location->room) {
    uint32_t room = location->room ? 2 * location->room : 4;
    struct rsan_arm_record *grown = rsan_host_alloc(room * sizeof *grown);
    for (uint32_t i = 0; i < location->count; i++)
      grown[i] = location->records[i];
    rsan_host_free(location->records);
    location->records = grown;
    location->room = room;
  }
  // A read-modify-write's own read is of the version before the newest: in its place by version.
  uint32_t at = location->count++;
  for (; at > 0 && location->records[at - 1].version > version; at--)
    location->records[at] = location->records[at - 1];
  location->records[at] = record;
}

// Returns the version of another thread that the read is ordered after; 0: none.
static uint64_t arm_read(struct rsan_arm_thread *thread, struct rsan_arm_location *location,
                         const struct rsan_arm_access *access, uint64_t version, uint32_t keep,
                         struct rsan_clock *v) {
  bool own = location->writer == thread->index + 1;
  bool own_update = own && location->updated && access->acquires;
  rsan_clock_assign(v, &thread->base);
  if (access->rcsc)
    rsan_clock_join(v, &thread->lv);
  if (!own)
    rsan_clock_join(v, &location->w);
  else if (own_update)
    rsan_clock_join(v, &location->r);
  rsan_clock_join(&thread->all, v);
  rsan_clock_join(&thread->rd, v);
  rsan_clock_join(&location->m, v);
  if (!own)
    rsan_clock_join(&location->own, v);
  const bool in_class[RSAN_ARM_CLASSES] = {
      [RSAN_ARM_ALL] = true, [RSAN_ARM_RD] = true, [RSAN_ARM_ACQ] = access->acquires};
  uint64_t after = !own ? version : own_update ? location->read : 0;
  arm_record(thread, location, after, in_class, keep);
  if (access->acquires) {
    rsan_clock_join(&thread->base, v);
    arm_export(thread, RSAN_ARM_ACQ, &thread->base);
  }
  return after;
}

static void arm_write(struct rsan_arm_thread *thread, struct rsan_arm_location *location,
                      const struct rsan_arm_access *access, uint64_t version, uint32_t keep,
                      const struct rsan_clock *read, uint64_t read_after) {
  struct rsan_clock *v = &thread->written;
  bool own = location->writer == thread->index + 1;
  rsan_clock_assign(v, &thread->base);
  rsan_clock_join(v, own ? &location->own : &location->m);
  rsan_clock_join(v, read);
  rsan_clock_assign(&location->own, v);
  if (access->releases) {
    rsan_clock_join(v, &thread->all);
    arm_export(thread, RSAN_ARM_ALL, v);
  }
  rsan_clock_join(&thread->all, v);
  rsan_clock_assign(&location->w, v);
  rsan_clock_join(&location->m, v);
  rsan_clock_assign(&location->r, read);
  location->writer = thread->index + 1;
  location->updated = access->reads;
  location->read = read_after;
  const bool in_class[RSAN_ARM_CLASSES] = {
      [RSAN_ARM_ALL] = true, [RSAN_ARM_REL] = access->releases};
  arm_record(thread, location, version, in_class, keep);
  if (access->releases) {
    rsan_clock_join(&thread->lv, v);
    arm_export(thread, RSAN_ARM_REL, &thread->lv);
  }
  if (access->barrier)
    rsan_clock_join(&thread->base, &thread->lv);
}

static void arm_step(struct rsan_arm_thread *thread, struct rsan_arm_location *location,
                     const struct rsan_arm_access *access, uint64_t newest, uint32_t keep) {
  struct rsan_clock nothing = {0}, *read = access->reads ? &thread->read : &nothing;
  uint64_t after = 0;
  if (access->reads)
    after = arm_read(thread, location, access, access->writes ? newest - 1 : newest, keep, read);
  if (access->writes)
    arm_write(thread, location, access, newest, keep, read, after);
}

// A clock's entries of one thread: a clock that is not to grow, and is another's memory.
static struct rsan_clock arm_own(struct rsan_clock *clock, uint32_t thread) {
  uint32_t end = arm_entry(thread + 1, 0);
  if (clock->size < end)
    rsan_clock_set(clock, end - 1, 0);
  return (struct rsan_clock){clock->entries + arm_entry(thread, 0), RSAN_ARM_CLASSES};
}

// The access as far as it is about its own thread's entries.
static void arm_step_own(struct rsan_arm_thread *thread, struct rsan_arm_location *location,
                         const struct rsan_arm_access *access, uint64_t newest, uint32_t keep) {
  uint32_t index = thread->index;
  uint64_t read[RSAN_ARM_CLASSES] = {0}, written[RSAN_ARM_CLASSES] = {0};
  struct rsan_arm_thread mine = {
      .index = index,
      .first = index,
      .base = arm_own(&thread->base, index),
      .all = arm_own(&thread->all, index),
      .rd = arm_own(&thread->rd, index),
      .lv = arm_own(&thread->lv, index),
      .read = {read, RSAN_ARM_CLASSES},
      .written = {written, RSAN_ARM_CLASSES},
  };
  struct rsan_arm_location here = *location;
  here.w = arm_own(&location->w, index);
  here.r = arm_own(&location->r, index);
  here.m = arm_own(&location->m, index);
  here.own = arm_own(&location->own, index);
  for (unsigned class = 0; class < RSAN_ARM_CLASSES; class ++)
    mine.epoch[class] = thread->epoch[class];
  arm_step(&mine, &here, access, newest, keep);
  for (unsigned class = 0; class < RSAN_ARM_CLASSES; class ++)
    thread->epoch[class] = mine.epoch[class];
  here.w = location->w;
  here.r = location->r;
  here.m = location->m;
  here.own = location->own;
  *location = here;
}

static uint64_t arm_sum_of(const struct rsan_clock *clock, uint32_t except) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < clock->size; i++)
    sum += clock->entries[i];
  for (unsigned class = 0; class < RSAN_ARM_CLASSES; class ++)
    sum -= rsan_clock_get(clock, arm_entry(except, class));
  return sum;
}

static uint64_t arm_sum(struct rsan_arm_thread *thread) {
  if (!thread->summed)
    thread->sum = arm_sum_of(&thread->base, thread->index) +
                  arm_sum_of(&thread->all, thread->index) + arm_sum_of(&thread->rd, thread->index) +
                  arm_sum_of(&thread->lv, thread->index);
  thread->summed = true;
  return thread->sum;
}

// What of the access decides what it does to others' entries: its kind, with how it finds the
// location. A write is asked about beside what the last write was.
static uint32_t arm_kind(const struct rsan_arm_thread *thread,
                         const struct rsan_arm_location *location,
                         const struct rsan_arm_access *access) {
  uint32_t found =
      (location->writer == thread->index + 1 ? 1u : 0u) | (location->updated ? 2u : 0u);
  uint32_t read = (access->acquires ? 4u : 0u) | (access->rcsc ? 8u : 0u);
  return 1u << (access->writes ? 16 + found : found + read);
}

// Has an access of that kind changed nothing here, and would not now? (Which kinds may come between
// has been tried on all states: those that are no other write.)
static bool arm_repeats(struct rsan_arm_thread *thread, struct rsan_arm_location *location,
                        const struct rsan_arm_access *access, uint32_t kind) {
  struct rsan_arm_repeats *repeats = &location->repeats;
  if (repeats->thread != thread->index + 1 || repeats->start != thread->start) {
    *repeats = (struct rsan_arm_repeats){.thread = thread->index + 1, .start = thread->start};
    return false;
  }
  uint64_t sum = arm_sum(thread);
  uint8_t write = (uint8_t)(access->reads | access->acquires << 1 | access->rcsc << 2 |
                            access->releases << 3 | access->barrier << 4);
  if (!repeats->summed || repeats->sum != sum || (access->writes && repeats->write != write))
    repeats->kinds = 0;
  repeats->summed = true;
  repeats->sum = sum;
  if (access->writes)
    repeats->write = write;
  return repeats->kinds & kind;
}

void rsan_arm_update(struct rsan_arm_thread *thread, struct rsan_arm_location *location,
                     const struct rsan_arm_access *access, uint64_t newest, uint32_t keep) {
  uint32_t kind = arm_kind(thread, location, access);
  if (arm_repeats(thread, location, access, kind)) {
    arm_step_own(thread, location, access, newest, keep);
    return;
  }
  arm_step(thread, location, access, newest, keep);
  thread->summed = false;
  struct rsan_arm_repeats *repeats = &location->repeats;
  if (!repeats->summed)
    return; // the first one of its thread
  uint64_t sum = arm_sum(thread);
  repeats->kinds = sum == repeats->sum ? repeats->kinds | kind : 0;
  repeats->sum = sum;
}

void rsan_arm_fence(struct rsan_arm_thread *thread, bool loads_only) {
  thread->summed = false;
  rsan_clock_join(&thread->base, loads_only ? &thread->rd : &thread->all);
  arm_export(thread, loads_only ? RSAN_ARM_RD : RSAN_ARM_ALL, &thread->base);
}

void rsan_arm_publish(struct rsan_arm_thread *thread, struct rsan_clock *into) {
  rsan_clock_join(into, &thread->base);
  rsan_clock_join(into, &thread->all);
  arm_export(thread, RSAN_ARM_ALL, into);
}

void rsan_arm_take(struct rsan_arm_thread *thread, const struct rsan_clock *from) {
  thread->summed = false;
  rsan_clock_join(&thread->base, from);
}

void rsan_arm_pass(struct rsan_arm_thread *thread, struct rsan_arm_location *location) {
  location->repeats.thread = 0;
  rsan_arm_take(thread, &location->m);
  rsan_arm_fence(thread, false);
  rsan_arm_publish(thread, &location->w);
  rsan_clock_join(&location->m, &location->w);
}
