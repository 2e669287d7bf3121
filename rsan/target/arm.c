// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "arm.h"

#include "../host.h"

static uint32_t arm_entry(uint32_t thread, enum rsan_arm_class class) {
  return thread * RSAN_ARM_CLASSES + class;
}

void rsan_arm_thread_init(struct rsan_arm_thread *thread, uint32_t index, const uint64_t *epochs) {
  *thread = (struct rsan_arm_thread){.index = index};
  for (unsigned class = 0; class < RSAN_ARM_CLASSES; class ++)
    thread->epoch[class] = epochs ? epochs[class] : 1;
}

void rsan_arm_thread_clear(struct rsan_arm_thread *thread) {
  rsan_clock_clear(&thread->base);
  rsan_clock_clear(&thread->all);
  rsan_clock_clear(&thread->rd);
  rsan_clock_clear(&thread->lv);
}

// The location has been written from outside: the clocks stay, which only hides.
void rsan_arm_location_restart(struct rsan_arm_location *location) {
  location->count = 0;
  location->writer = 0;
  location->updated = false;
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
  rsan_clock_set(into, arm_entry(thread->index, class), thread->epoch[class]++);
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
                        const struct rsan_arm_access *access) {
  uint64_t known = arm_newest_in(location, &thread->base, 0);
  if (access->reads && access->rcsc)
    known = arm_newest_in(location, &thread->lv, known);
  if (access->writes && access->releases)
    known = arm_newest_in(location, &thread->all, known);
  return known;
}

// Whoever knows the older one of a thread's records knows the newer one from now on.
static void arm_merge_oldest(struct rsan_arm_location *location) {
  struct rsan_arm_record *at = location->records;
  for (uint32_t i = 0; i < location->count; i++)
    for (uint32_t j = i + 1; j < location->count; j++) {
      if (at[j].thread != at[i].thread)
        continue;
      for (unsigned class = 0; class < RSAN_ARM_CLASSES; class ++)
        if (at[i].epoch[class])
          at[j].epoch[class] = at[i].epoch[class];
      for (uint32_t k = i; k + 1 < location->count; k++)
        at[k] = at[k + 1];
      location->count--;
      return;
    }
}

static void arm_record(const struct rsan_arm_thread *thread, struct rsan_arm_location *location,
                       uint64_t version, const bool *in_class, uint32_t keep) {
  if (!version)
    return;
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
  struct rsan_arm_record *record = &location->records[at];
  *record = (struct rsan_arm_record){.version = version, .thread = thread->index};
  for (unsigned class = 0; class < RSAN_ARM_CLASSES; class ++)
    record->epoch[class] = in_class[class] ? thread->epoch[class] : 0;
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
  struct rsan_clock v = {0};
  bool own = location->writer == thread->index + 1;
  rsan_clock_assign(&v, &thread->base);
  rsan_clock_join(&v, own ? &location->own : &location->m);
  rsan_clock_join(&v, read);
  rsan_clock_assign(&location->own, &v);
  if (access->releases) {
    rsan_clock_join(&v, &thread->all);
    arm_export(thread, RSAN_ARM_ALL, &v);
  }
  rsan_clock_join(&thread->all, &v);
  rsan_clock_assign(&location->w, &v);
  rsan_clock_join(&location->m, &v);
  rsan_clock_assign(&location->r, read);
  location->writer = thread->index + 1;
  location->updated = access->reads;
  location->read = read_after;
  const bool in_class[RSAN_ARM_CLASSES] = {
      [RSAN_ARM_ALL] = true, [RSAN_ARM_REL] = access->releases};
  arm_record(thread, location, version, in_class, keep);
  if (access->releases) {
    rsan_clock_join(&thread->lv, &v);
    arm_export(thread, RSAN_ARM_REL, &thread->lv);
  }
  if (access->barrier)
    rsan_clock_join(&thread->base, &thread->lv);
  rsan_clock_clear(&v);
}

void rsan_arm_update(struct rsan_arm_thread *thread, struct rsan_arm_location *location,
                     const struct rsan_arm_access *access, uint64_t newest, uint32_t keep) {
  struct rsan_clock read = {0};
  uint64_t after = 0;
  if (access->reads)
    after = arm_read(thread, location, access, access->writes ? newest - 1 : newest, keep, &read);
  if (access->writes)
    arm_write(thread, location, access, newest, keep, &read, after);
  rsan_clock_clear(&read);
}

void rsan_arm_fence(struct rsan_arm_thread *thread, bool loads_only) {
  rsan_clock_join(&thread->base, loads_only ? &thread->rd : &thread->all);
  arm_export(thread, loads_only ? RSAN_ARM_RD : RSAN_ARM_ALL, &thread->base);
}

void rsan_arm_publish(struct rsan_arm_thread *thread, struct rsan_clock *into) {
  rsan_clock_join(into, &thread->base);
  rsan_clock_join(into, &thread->all);
  arm_export(thread, RSAN_ARM_ALL, into);
}

void rsan_arm_take(struct rsan_arm_thread *thread, const struct rsan_clock *from) {
  rsan_clock_join(&thread->base, from);
}
