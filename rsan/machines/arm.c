// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "arm.h"

#include "../host.h"
#include "../limits.h"

void rsan_arm_thread_init(struct rsan_arm_thread *thread, uint32_t index) {
  *thread = (struct rsan_arm_thread){.index = index,
                                     .epoch = {1, 1, 1, 1},
                                     .base = {.thread = index, .number = RSAN_ARM_BASE_NUMBER},
                                     .all = {.thread = index, .number = RSAN_ARM_ALL_NUMBER},
                                     .rd = {.thread = index},
                                     .lv = {.thread = index}};
}

void rsan_arm_thread_clear(struct rsan_arm_thread *thread) {
  rsan_arm_view_clear(&thread->base);
  rsan_arm_view_clear(&thread->all);
  rsan_arm_view_clear(&thread->rd);
  rsan_arm_view_clear(&thread->lv);
}

// The location has been written from outside: the clocks stay, which only hides.
void rsan_arm_location_restart(struct rsan_arm_location *location) {
  location->count = 0;
  location->writer = 0;
  location->updated = false;
  rsan_arm_view_clear(&location->r);
}

void rsan_arm_location_clear(struct rsan_arm_location *location) {
  rsan_arm_view_clear(&location->w);
  rsan_arm_view_clear(&location->r);
  rsan_arm_view_clear(&location->m);
  rsan_host_free(location->records);
}

// The thread's own accesses of that class so far, into its own row of a view. Later ones are not in
// there. If there are none since the last time, the view has them. Says whether there are.
static bool arm_export(struct rsan_arm_thread *thread, enum rsan_arm_class kind,
                       struct rsan_arm_view *into) {
  if (!thread->used[kind])
    return false;
  into->own[kind] = thread->epoch[kind]++;
  thread->used[kind] = false;
  return true;
}

// A view of the thread joins another; base and all have numbers.
static bool arm_learn(struct rsan_arm_view *view, const struct rsan_arm_view *from) {
  int changed = rsan_arm_view_join(view, from);
  if (changed == RSAN_ARM_OTHERS_CHANGED && view->number)
    view->own[view->number]++;
  return changed != RSAN_ARM_SAME;
}

static bool arm_covers(const struct rsan_arm_view *view, const struct rsan_arm_record *record) {
  const uint64_t *row = rsan_arm_row(view, record->thread);
  for (unsigned kind = 0; kind < RSAN_ARM_CLASSES; kind++)
    if (record->epoch[kind] && row[kind] >= record->epoch[kind])
      return true;
  return false;
}

static uint64_t arm_newest_in(const struct rsan_arm_location *location,
                              const struct rsan_arm_view *view, uint64_t known) {
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

// Notes of each record the next one of its thread.
static void arm_link(const struct rsan_arm_location *location) {
  struct rsan_arm_record *at = location->records;
  uint32_t newest[64]; // by thread, modulo that
  for (uint32_t i = 0; i < 64; i++)
    newest[i] = location->count;
  for (uint32_t i = location->count; i-- > 0;) {
    uint32_t *slot = &newest[at[i].thread % 64], next = *slot;
    while (next < location->count && at[next].thread != at[i].thread)
      next++;
    at[i].next = next;
    *slot = i;
  }
}

// Merges the oldest few records into the next ones of their threads: a view that knows the older
// record knows the newer from now on.
static void arm_merge_oldest(struct rsan_arm_location *location) {
  struct rsan_arm_record *at = location->records;
  uint32_t kept = 0, merged = 0;
  arm_link(location);
  for (uint32_t i = 0; i < location->count; i++) {
    uint32_t next = at[i].next;
    if (next == location->count || merged == RSAN_ARM_RECORDS / 4) {
      at[kept++] = at[i];
      continue;
    }
    merged++;
    for (unsigned kind = 0; kind < RSAN_ARM_CLASSES; kind++)
      if (at[i].epoch[kind])
        at[next].epoch[kind] = at[i].epoch[kind];
  }
  location->count = kept;
}

// Is whoever knows the older one sure to know the newer one, and is nothing between them?
static bool arm_replaces(const struct rsan_arm_record *newer, const struct rsan_arm_record *older) {
  if (newer->thread != older->thread || newer->version < older->version)
    return false;
  for (unsigned kind = 0; kind < RSAN_ARM_CLASSES; kind++)
    if (older->epoch[kind] && older->epoch[kind] != newer->epoch[kind])
      return false;
  return true;
}

// Has the thread a record of the version in all of the classes? Not of an older version: there are
// no more than threads that have come since this one was written.
static bool arm_is_recorded(const struct rsan_arm_location *location,
                            const struct rsan_arm_record *record) {
  for (uint32_t i = location->count; i-- > 0 && location->records[i].version >= record->version;) {
    const struct rsan_arm_record *at = &location->records[i];
    bool has = at->thread == record->thread;
    for (unsigned kind = 0; kind < RSAN_ARM_CLASSES && has; kind++)
      has = at->epoch[kind] || !record->epoch[kind];
    if (has)
      return true;
  }
  return false;
}

static void arm_make_room(struct rsan_arm_location *location, uint32_t keep) {
  if (keep && location->count >= keep)
    arm_merge_oldest(location);
  location->records = rsan_make_room(location->records, &location->room, location->count,
                                     sizeof *location->records);
}

// Is the thread's record of a write first told of by its write of this moment, which releases it,
// to the same location? Then whoever is told knows the newer write as well: by a record of its own
// if it has come here, else since it was told of that in one and the same row.
static bool arm_is_hidden(const struct rsan_arm_thread *thread,
                          const struct rsan_arm_record *record) {
  const uint64_t *epoch = record->epoch;
  return record->thread == thread->index &&
         epoch[RSAN_ARM_ALL] + 1 == thread->epoch[RSAN_ARM_ALL] && !epoch[RSAN_ARM_RD] &&
         (!epoch[RSAN_ARM_REL] || thread->base.own[RSAN_ARM_REL] < epoch[RSAN_ARM_REL]);
}

static void arm_record(struct rsan_arm_thread *thread, struct rsan_arm_location *location,
                       uint64_t version, const bool *in_class, bool hides, uint32_t keep) {
  if (!version)
    return;
  struct rsan_arm_record record = {.version = version, .thread = thread->index};
  for (unsigned kind = 0; kind < RSAN_ARM_CLASSES; kind++)
    record.epoch[kind] = in_class[kind] ? thread->epoch[kind] : 0;
  if (arm_is_recorded(location, &record))
    return;
  for (unsigned kind = 0; kind < RSAN_ARM_CLASSES; kind++)
    thread->used[kind] |= in_class[kind];
  struct rsan_arm_record *last = location->count ? &location->records[location->count - 1] : 0;
  if (last && (arm_replaces(&record, last) || (hides && arm_is_hidden(thread, last)))) {
    *last = record;
    return;
  }
  arm_make_room(location, keep);
  // A read-modify-write's own read is of the version before the newest: in its place by version.
  uint32_t at = location->count++;
  for (; at > 0 && location->records[at - 1].version > version; at--)
    location->records[at] = location->records[at - 1];
  location->records[at] = record;
}

// A read's view, and what it is ordered after.
struct arm_read {
  struct rsan_arm_view view; // if it is not within base
  bool beyond;
  uint64_t after; // the version of another thread; 0: none
  bool moves;     // what rsan_arm_update says
};

static void arm_read(struct rsan_arm_thread *thread, struct rsan_arm_location *location,
                     const struct rsan_arm_access *access, uint64_t version, uint32_t keep,
                     struct arm_read *read) {
  bool own = location->writer == thread->index + 1;
  bool own_update = own && location->updated && access->acquires;
  const struct rsan_arm_view *from = !own ? &location->w : own_update ? &location->r : 0;
  struct rsan_arm_view *v = &thread->base;
  read->beyond = !access->acquires && from && !rsan_arm_view_covers(v, from);
  if (read->beyond) {
    v = &read->view;
    *v = (struct rsan_arm_view){0};
    rsan_arm_view_assign(v, &thread->base);
    if (rsan_arm_view_join(v, from) == RSAN_ARM_OTHERS_CHANGED)
      v->number = RSAN_ARM_NO_NUMBER;
    arm_learn(&thread->all, v);
    arm_learn(&thread->rd, v);
  } else {
    if (access->rcsc)
      read->moves |= arm_learn(v, &thread->lv);
    if (from && access->acquires)
      read->moves |= arm_learn(v, from);
  }
  rsan_arm_view_merge(&location->m, v);
  const bool in_class[RSAN_ARM_CLASSES] = {
      [RSAN_ARM_ALL] = true, [RSAN_ARM_RD] = true, [RSAN_ARM_ACQ] = access->acquires};
  read->after = !own ? version : own_update ? location->read : 0;
  if (!own_update || !location->acquired) // else it is recorded already
    arm_record(thread, location, read->after, in_class, false, keep);
  if (access->acquires)
    read->moves |= arm_export(thread, RSAN_ARM_ACQ, &thread->base);
}

// m := base joined with m, which is before the write, and the read. Is that more than base?
static bool arm_join_before(struct rsan_arm_thread *thread, struct rsan_arm_location *location,
                            const struct arm_read *read) {
  if (!read->beyond && rsan_arm_view_covers(&thread->base, &location->m)) {
    rsan_arm_view_assign(&location->m, &thread->base);
    return false;
  }
  struct rsan_arm_view view = {0};
  rsan_arm_view_assign(&view, &thread->base);
  int changed = rsan_arm_view_join(&view, &location->m);
  if (read->beyond) {
    int more = rsan_arm_view_join(&view, &read->view);
    changed = more > changed ? more : changed;
  }
  if (changed == RSAN_ARM_OTHERS_CHANGED)
    view.number = RSAN_ARM_NO_NUMBER;
  rsan_arm_view_clear(&location->m);
  location->m = view;
  return changed != RSAN_ARM_SAME;
}

static void arm_write(struct rsan_arm_thread *thread, struct rsan_arm_location *location,
                      const struct rsan_arm_access *access, uint64_t version, uint32_t keep,
                      struct arm_read *read) {
  struct rsan_arm_view *v = &location->m;
  bool hides = false, beyond = arm_join_before(thread, location, read);
  if (access->releases) {
    v = &thread->all;
    arm_learn(v, &location->m);
    hides = arm_export(thread, RSAN_ARM_ALL, v);
    rsan_arm_view_assign(&location->m, v);
  } else if (beyond) {
    arm_learn(&thread->all, v);
  }
  rsan_arm_view_assign(&location->w, v);
  if (location->updated)
    rsan_arm_view_clear(&location->r);
  if (read->beyond)
    rsan_arm_view_assign(&location->r, &read->view);
  location->writer = thread->index + 1;
  location->updated = access->reads;
  location->acquired = access->reads && access->acquires;
  location->read = read->after;
  const bool in_class[RSAN_ARM_CLASSES] = {
      [RSAN_ARM_ALL] = true, [RSAN_ARM_REL] = access->releases};
  arm_record(thread, location, version, in_class, hides, keep);
  if (access->releases) {
    arm_learn(&thread->lv, v);
    arm_export(thread, RSAN_ARM_REL, &thread->lv);
  }
  if (access->barrier)
    read->moves |= arm_learn(&thread->base, &thread->lv);
}

bool rsan_arm_update(struct rsan_arm_thread *thread, struct rsan_arm_location *location,
                     const struct rsan_arm_access *access, uint64_t newest, uint32_t keep) {
  struct arm_read read;
  read.beyond = read.moves = false;
  read.after = 0;
  if (access->reads)
    arm_read(thread, location, access, access->writes ? newest - 1 : newest, keep, &read);
  if (access->writes)
    arm_write(thread, location, access, newest, keep, &read);
  if (read.beyond)
    rsan_arm_view_clear(&read.view);
  return read.moves;
}

// What the next write has of others it has from the load before, and the version is recorded.
void rsan_arm_repeat(struct rsan_arm_thread *thread, struct rsan_arm_location *location) {
  rsan_arm_view_raise(&location->m, &thread->base);
}

bool rsan_arm_fence(struct rsan_arm_thread *thread, bool loads_only) {
  bool moves = arm_learn(&thread->base, loads_only ? &thread->rd : &thread->all);
  return arm_export(thread, loads_only ? RSAN_ARM_RD : RSAN_ARM_ALL, &thread->base) || moves;
}

void rsan_arm_release(struct rsan_arm_thread *thread, struct rsan_arm_view *into, bool merge) {
  arm_learn(&thread->all, &thread->base);
  arm_export(thread, RSAN_ARM_ALL, &thread->all);
  if (merge)
    rsan_arm_view_merge(into, &thread->all);
  else
    rsan_arm_view_assign(into, &thread->all);
}

bool rsan_arm_acquire(struct rsan_arm_thread *thread, const struct rsan_arm_view *from) {
  return arm_learn(&thread->base, from);
}

void rsan_arm_pass(struct rsan_arm_thread *thread, struct rsan_arm_location *location) {
  rsan_arm_acquire(thread, &location->m);
  rsan_arm_fence(thread, false);
  rsan_arm_release(thread, &location->w, true);
  rsan_arm_view_merge(&location->m, &location->w);
}

void rsan_arm_thread_finish(struct rsan_arm_thread *thread) {
  rsan_arm_fence(thread, false);
  for (unsigned kind = 0; kind < RSAN_ARM_CLASSES; kind++) {
    thread->epoch[kind]++;
    thread->used[kind] = false;
  }
}
