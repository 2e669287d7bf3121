// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The clocks of machines: how they come, are passed on, and go.

#include "../engine_types.h"
#include "../host.h"
#include "machines.h"

struct rsan_machines *rsan_machines_new(const struct rsan_options *options) {
  if (!(options->targets & ~(uint32_t)RSAN_TARGET_C11))
    return 0;
  struct rsan_machines *machines = RSAN_NEW(struct rsan_machines);
  machines->asked = options->targets;
  return machines;
}

void rsan_machines_free(struct rsan_machines *machines) {
  if (!machines)
    return;
  for (uint32_t i = 0; i < machines->ends_count; i++) {
    rsan_stamp_clear(&machines->ends[i].tso);
    for (unsigned which = 0; which < RSAN_ARM_BOTH; which++)
      rsan_arm_view_clear(&machines->ends[i].arm[which].base);
  }
  rsan_host_free(machines->ends);
  rsan_host_free(machines);
}

struct rsan_machines_thread *rsan_machines_thread_new(struct rsan_machines *machines,
                                                      uint32_t index) {
  struct rsan_machines_thread *thread = RSAN_NEW(struct rsan_machines_thread);
  rsan_tso_thread_init(&thread->tso, index);
  rsan_lock(&machines->lock);
  if (index >= atomic_load_explicit(&machines->threads, memory_order_relaxed))
    atomic_store_explicit(&machines->threads, index + 1, memory_order_relaxed);
  const struct rsan_machines_end *end = index < machines->ends_count ? &machines->ends[index] : 0;
  thread->tso.l_changes = (end ? end->l_changes : 0) + 1;
  if (end)
    rsan_tso_join(&thread->tso, &end->tso);
  for (unsigned which = 0; which < RSAN_ARM_BOTH; which++)
    rsan_arm_thread_init(&thread->arm[which], index, end ? &end->arm[which] : 0);
  rsan_unlock(&machines->lock);
  return thread;
}

static void grow_ends(struct rsan_machines *machines, uint32_t index) {
  if (index < machines->ends_count)
    return;
  uint32_t count = machines->ends_count ? machines->ends_count : RSAN_CLOCK_MIN_ENTRIES;
  while (count <= index)
    count *= 2;
  machines->ends =
      rsan_enlarge_zeroed(machines->ends, machines->ends_count * sizeof *machines->ends,
                          count * sizeof *machines->ends);
  machines->ends_count = count;
}

// A number for a stamp of the thread's: SC indices have gaps in any case.
static const struct rsan_stamp *publish_tso(struct rsan_thread *thread) {
  return rsan_tso_publish(&thread->machines->tso, ++thread->sc.vs.index);
}

void rsan_machines_thread_finish(struct rsan_engine *engine, struct rsan_thread *thread) {
  const struct rsan_stamp *s = publish_tso(thread);
  struct rsan_machines *machines = engine->machines;
  rsan_lock(&machines->lock);
  grow_ends(machines, thread->hb.index);
  struct rsan_machines_end *end = &machines->ends[thread->hb.index];
  rsan_stamp_assign(&end->tso, s);
  end->l_changes = thread->machines->tso.l_changes;
  for (unsigned which = 0; which < RSAN_ARM_BOTH; which++) // for who joins it, too
    rsan_arm_thread_finish(&thread->machines->arm[which], &end->arm[which]);
  rsan_unlock(&machines->lock);
}

void rsan_machines_thread_free(struct rsan_machines_thread *thread) {
  rsan_tso_thread_clear(&thread->tso);
  for (unsigned which = 0; which < RSAN_ARM_BOTH; which++)
    rsan_arm_thread_clear(&thread->arm[which]);
  rsan_host_free(thread);
}

struct rsan_machines_location *rsan_machines_location_new(const struct rsan_machines *machines) {
  uint32_t threads = atomic_load_explicit(&machines->threads, memory_order_relaxed);
  uint32_t arms = machines->asked & RSAN_TARGET_ARM ? RSAN_ARM_BOTH : 0;
  struct rsan_machines_location *location = rsan_new_zeroed(
      sizeof *location + arms * sizeof *location->arm + threads * sizeof *location->coherence.at);
  location->tso.writer = RSAN_MERGED;
  location->arms = arms;
  location->coherence.at = rsan_machines_first_place(location);
  location->coherence.count = threads;
  return location;
}

void rsan_machines_location_restart(struct rsan_machines_location *location) {
  for (uint32_t i = 0; i < location->coherence.count; i++)
    location->coherence.at[i] = (struct rsan_last_access){0};
  rsan_tso_disturb(&location->tso);
  for (unsigned which = 0; which < location->arms; which++)
    rsan_arm_location_restart(&location->arm[which]);
}

void rsan_machines_location_free(struct rsan_machines_location *location) {
  if (location->coherence.at != rsan_machines_first_place(location))
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

static bool on_arm(const struct rsan_thread *thread) {
  return thread->engine->machines->asked & RSAN_TARGET_ARM;
}

static void join_tso(struct rsan_thread *thread, const struct rsan_stamp *from) {
  thread->sc.moves += rsan_tso_join(&thread->machines->tso, from);
}

void rsan_machines_take(struct rsan_thread *thread, const struct rsan_sync *sync) {
  join_tso(thread, &sync->machines->tso);
  for (unsigned which = 0; which < RSAN_ARM_BOTH && on_arm(thread); which++)
    thread->sc.moves += rsan_arm_take(&thread->machines->arm[which], &sync->machines->arm[which]);
}

void rsan_machines_publish(struct rsan_thread *thread, struct rsan_sync *sync, bool merge) {
  const struct rsan_stamp *s = publish_tso(thread);
  if (merge)
    rsan_tso_merge(&sync->machines->tso, s);
  else
    rsan_stamp_assign(&sync->machines->tso, s);
  for (unsigned which = 0; which < RSAN_ARM_BOTH && on_arm(thread); which++)
    rsan_arm_publish(&thread->machines->arm[which], &sync->machines->arm[which], merge);
}

void rsan_machines_join(struct rsan_thread *joiner, const struct rsan_thread *finished) {
  join_tso(joiner, &finished->machines->tso.s);
  for (unsigned which = 0; which < RSAN_ARM_BOTH && on_arm(joiner); which++)
    joiner->sc.moves +=
        rsan_arm_take(&joiner->machines->arm[which], &finished->machines->arm[which].base);
}

static void fence_arm(struct rsan_thread *thread, bool loads_only) {
  for (unsigned which = 0; which < RSAN_ARM_BOTH && on_arm(thread); which++)
    thread->sc.moves += rsan_arm_fence(&thread->machines->arm[which], loads_only);
}

void rsan_machines_fence(struct rsan_thread *thread) {
  thread->sc.moves += rsan_tso_fence(&thread->machines->tso);
  fence_arm(thread, false);
}

void rsan_machines_fence_of(struct rsan_thread *thread, enum rsan_order order) {
  if (order == RSAN_SEQ_CST)
    rsan_machines_fence(thread);
  else
    fence_arm(thread, !rsan_order_releases(order));
}

void rsan_machines_take_location(struct rsan_thread *thread, const struct rsan_location *location) {
  join_tso(thread, &location->more->machines->tso.w);
  for (unsigned which = 0; which < RSAN_ARM_BOTH && on_arm(thread); which++)
    thread->sc.moves +=
        rsan_arm_take(&thread->machines->arm[which], &location->more->machines->arm[which].w);
}

void rsan_machines_withdraw(struct rsan_engine *engine, struct rsan_location *location) {
  struct rsan_tso_location *tso = &location->more->machines->tso;
  rsan_tso_merge(&engine->withdrawn->machines->tso, &tso->w);
  rsan_tso_merge(&engine->withdrawn->machines->tso, &tso->m);
  for (unsigned which = 0; which < location->more->machines->arms; which++) {
    rsan_arm_view_merge(&engine->withdrawn->machines->arm[which],
                        &location->more->machines->arm[which].w);
    rsan_arm_view_merge(&engine->withdrawn->machines->arm[which],
                        &location->more->machines->arm[which].m);
  }
}

// As what is published at a mutex: a fence before and after, and everything passed on.
void rsan_machines_unchecked(struct rsan_thread *thread, struct rsan_location *location) {
  struct rsan_tso_location *tso = &location->more->machines->tso;
  rsan_tso_access(&thread->machines->tso, tso, RSAN_TSO_LOCKED, ++thread->sc.vs.index);
  tso->writer = RSAN_MERGED;
  thread->sc.moves++;
  for (unsigned which = 0; which < RSAN_ARM_BOTH && on_arm(thread); which++)
    rsan_arm_pass(&thread->machines->arm[which], &location->more->machines->arm[which]);
}
