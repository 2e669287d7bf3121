// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The clocks of machines: how they come, are passed on, and go.

#include "machines.h"

#include "../host.h"
#include "../limits.h"

struct rsan_machines *rsan_machines_new(const struct rsan_options *options) {
  if (!(options->targets & ~(uint32_t)RSAN_TARGET_C11))
    return 0;
  struct rsan_machines *machines = RSAN_NEW(struct rsan_machines);
  machines->asked = options->targets;
  machines->keep = options->history == RSAN_HISTORY_EXACT ? 0 : RSAN_ARM_RECORDS;
  machines->arms = options->targets & RSAN_TARGET_ARM ? RSAN_ARM_BOTH : 0;
  return machines;
}

void rsan_machines_free(struct rsan_machines *machines) {
  if (!machines)
    return;
  for (uint32_t i = 0; i < machines->ends_count; i++)
    rsan_machines_thread_free(machines->ends[i]);
  rsan_host_free(machines->ends);
  rsan_host_free(machines);
}

void rsan_machines_keep_all(struct rsan_machines *machines, struct rsan_machines_thread *thread) {
  machines->keep = thread->keep = 0;
}

struct rsan_machines_thread *rsan_machines_thread_new(struct rsan_machines *machines,
                                                      uint32_t index) {
  rsan_lock(&machines->lock);
  machines->ends =
      rsan_make_room(machines->ends, &machines->ends_count, index, sizeof *machines->ends);
  struct rsan_machines_thread *thread = machines->ends[index];
  machines->ends[index] = 0;
  rsan_unlock(&machines->lock);
  if (thread)
    return thread;
  thread = RSAN_NEW(struct rsan_machines_thread);
  thread->index = index;
  thread->asked = machines->asked;
  thread->keep = machines->keep;
  thread->arms = machines->arms;
  rsan_tso_thread_init(&thread->tso, index);
  for (unsigned which = 0; which < thread->arms; which++)
    rsan_arm_thread_init(&thread->arm[which], index);
  return thread;
}

void rsan_machines_thread_finish(struct rsan_machines *machines,
                                 struct rsan_machines_thread *thread) {
  rsan_tso_fence(&thread->tso);
  thread->tso.l_changes++;
  for (unsigned which = 0; which < thread->arms; which++)
    rsan_arm_thread_finish(&thread->arm[which]);
  rsan_lock(&machines->lock);
  machines->ends[thread->index] = thread;
  rsan_unlock(&machines->lock);
}

void rsan_machines_thread_free(struct rsan_machines_thread *thread) {
  if (!thread)
    return;
  rsan_tso_thread_clear(&thread->tso);
  for (unsigned which = 0; which < thread->arms; which++)
    rsan_arm_thread_clear(&thread->arm[which]);
  rsan_host_free(thread);
}

struct rsan_machines_location *rsan_machines_location_new(const struct rsan_machines *machines) {
  struct rsan_machines_location *location =
      rsan_new_zeroed(sizeof *location + machines->arms * sizeof *location->arm);
  location->tso.writer = RSAN_MERGED;
  location->arms = machines->arms;
  location->coherence = (struct rsan_coherence){RSAN_COHERENCE_FIRST, location->first};
  return location;
}

void rsan_machines_location_restart(struct rsan_machines_location *location) {
  for (uint32_t i = 0; i < location->coherence.count; i++)
    location->coherence.at[i] = (struct rsan_last_access){0};
  location->tso.writer = RSAN_MERGED;
  for (unsigned which = 0; which < location->arms; which++)
    rsan_arm_location_restart(&location->arm[which]);
}

void rsan_machines_location_renew(struct rsan_machines_location *location) {
  rsan_machines_location_restart(location);
  rsan_tso_location_clear(&location->tso);
  for (unsigned which = 0; which < location->arms; which++) {
    rsan_arm_view_clear(&location->arm[which].w);
    rsan_arm_view_clear(&location->arm[which].m);
  }
}

void rsan_machines_location_free(struct rsan_machines_location *location) {
  if (!location)
    return;
  if (location->coherence.at != location->first)
    rsan_host_free(location->coherence.at);
  rsan_tso_location_clear(&location->tso);
  for (unsigned which = 0; which < location->arms; which++)
    rsan_arm_location_clear(&location->arm[which]);
  rsan_host_free(location);
}

void rsan_machines_sync_clear(struct rsan_machines_sync *sync) {
  rsan_stamp_clear(&sync->tso);
  for (unsigned which = 0; which < RSAN_ARM_BOTH; which++)
    rsan_arm_view_clear(&sync->arm[which]);
}

bool rsan_machines_acquire(struct rsan_machines_thread *thread,
                           const struct rsan_machines_sync *sync) {
  bool moves = rsan_tso_join(&thread->tso, &sync->tso);
  for (unsigned which = 0; which < thread->arms; which++)
    moves |= rsan_arm_acquire(&thread->arm[which], &sync->arm[which]);
  return moves;
}

void rsan_machines_release(struct rsan_machines_thread *thread, struct rsan_machines_sync *sync,
                           uint64_t number, bool merge) {
  const struct rsan_stamp *s = rsan_tso_release(&thread->tso, number);
  if (merge)
    rsan_stamp_release(&sync->tso, s);
  else
    rsan_stamp_assign(&sync->tso, s);
  for (unsigned which = 0; which < thread->arms; which++)
    rsan_arm_release(&thread->arm[which], &sync->arm[which], merge);
}

static bool fence_arm(struct rsan_machines_thread *thread, bool loads_only) {
  bool moves = false;
  for (unsigned which = 0; which < thread->arms; which++)
    moves |= rsan_arm_fence(&thread->arm[which], loads_only);
  return moves;
}

bool rsan_machines_fence(struct rsan_machines_thread *thread) {
  bool moves = rsan_tso_fence(&thread->tso);
  return fence_arm(thread, false) || moves;
}

bool rsan_machines_fence_of(struct rsan_machines_thread *thread, enum rsan_order order) {
  if (order == RSAN_SEQ_CST)
    return rsan_machines_fence(thread);
  return fence_arm(thread, !rsan_order_releases(order));
}

bool rsan_machines_acquire_location(struct rsan_machines_thread *thread,
                                    const struct rsan_machines_location *location) {
  bool moves = rsan_tso_join(&thread->tso, &location->tso.w);
  for (unsigned which = 0; which < thread->arms; which++)
    moves |= rsan_arm_acquire(&thread->arm[which], &location->arm[which].w);
  return moves;
}

void rsan_machines_write_after(struct rsan_machines_location *location,
                               const struct rsan_machines_sync *sync) {
  rsan_tso_write_after(&location->tso, &sync->tso);
  for (unsigned which = 0; which < location->arms; which++) {
    rsan_arm_view_merge(&location->arm[which].w, &sync->arm[which]);
    rsan_arm_view_merge(&location->arm[which].m, &sync->arm[which]);
  }
}

void rsan_machines_withdraw(struct rsan_machines_location *into,
                            const struct rsan_machines_location *from) {
  rsan_tso_write_after(&into->tso, rsan_tso_m(&from->tso));
  for (unsigned which = 0; which < from->arms; which++)
    rsan_arm_view_merge(&into->arm[which].m, &from->arm[which].m);
}

bool rsan_machines_pass(struct rsan_machines_thread *thread,
                        struct rsan_machines_location *location, uint64_t number) {
  rsan_tso_access(&thread->tso, &location->tso, RSAN_TSO_LOCKED, number);
  location->tso.writer = RSAN_MERGED;
  for (unsigned which = 0; which < thread->arms; which++)
    rsan_arm_pass(&thread->arm[which], &location->arm[which]);
  return true;
}
