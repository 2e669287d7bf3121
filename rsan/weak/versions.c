// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Older versions of a location, with Wp: a ring.

#include "weak.h"

#include "../host.h"
#include "../steps/seqcst.h"
#include "ring.h"

#define RSAN_WEAK_ROOM 3u // at the first write
_Static_assert(RSAN_WEAK_VERSIONS == 8 * RSAN_WEAK_ROOM, "room is doubled up to all of it");

void rsan_weak_free(struct rsan_weak *weak) {
  if (weak)
    rsan_s_fence_unshare(weak->fence);
  rsan_host_free(weak);
}

static void clear_version(struct rsan_weak_version *version) {
  rsan_stamp_clear(&version->w);
  rsan_s_flows_clear(&version->flows);
}

// All threads know the newest one.
static void forget_all(struct rsan_weak_location *location) {
  for (uint32_t i = 0; i < location->count; i++)
    clear_version(rsan_weak_version_at(location, i));
  location->count = location->oldest = 0;
}

void rsan_weak_restart(struct rsan_weak_location *location) {
  forget_all(location);
  location->known_in_s = 0;
  location->restarts++;
}

void rsan_weak_location_free(struct rsan_weak_location *location) {
  if (!location)
    return;
  rsan_weak_restart(location);
  rsan_host_free(location->at);
  rsan_host_free(location);
}

void rsan_weak_begin(const struct rsan_engine *engine, struct rsan_location *location) {
  struct rsan_weak_location *there = location->more->weak;
  uint64_t in_s = atomic_load_explicit(&engine->weak->in_s, memory_order_acquire);
  if (there->in_s == in_s)
    return;
  there->known_in_s = rsan_weak_newest_in_s(location);
  there->in_s = in_s;
}

static void grow(struct rsan_weak_location *location) {
  uint32_t room = location->room ? 2 * location->room : RSAN_WEAK_ROOM;
  struct rsan_weak_version *at = rsan_host_alloc(room * sizeof *at);
  for (uint32_t i = 0; i < location->count; i++)
    at[i] = *rsan_weak_version_at(location, i);
  for (uint32_t i = location->count; i < room; i++)
    at[i] = (struct rsan_weak_version){0};
  rsan_host_free(location->at);
  location->at = at;
  location->room = room;
  location->oldest = 0;
}

// The oldest version's clocks are replaced where it goes; an entry that is free has none.
void rsan_weak_keep(struct rsan_location *location) {
  struct rsan_weak_location *there = location->more->weak;
  if (there->count == RSAN_WEAK_VERSIONS) {
    there->oldest = (there->oldest + 1) % there->room;
    there->count--;
  } else if (there->count == there->room) {
    grow(there);
  }
  struct rsan_weak_version *version = rsan_weak_version_at(there, there->count++);
  rsan_stamp_assign(&version->w, &location->hb_w);
  if (location->s)
    rsan_s_copy_released(&version->flows, location->s);
  version->taken = false;
}

void rsan_weak_append(struct rsan_location *location) {
  struct rsan_weak_location *there = location->more->weak;
  const struct rsan_history *history = &location->history;
  if (!history->count) { // the write was collected at once, for there is no other thread
    forget_all(there);
    return;
  }
  struct rsan_weak_version *version = rsan_weak_version_at(there, there->count - 1);
  version->next = history->at[history->count - 1];
  RSAN_ASSERT(version->next.number == history->newest, "the newest version is not kept");
  rsan_fast_w_read(&location->w, true); // for as long as it is a candidate
}
