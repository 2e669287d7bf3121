// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The clocks of targets: how they come, are passed on, and go.

#include "../engine_types.h"
#include "../host.h"
#include "target.h"

struct rsan_targets *rsan_targets_new(const struct rsan_options *options) {
  if (!(options->targets & ~(uint32_t)RSAN_TARGET_C11))
    return 0;
  struct rsan_targets *targets = RSAN_NEW(struct rsan_targets);
  targets->asked = options->targets;
  return targets;
}

void rsan_targets_free(struct rsan_targets *targets) {
  if (!targets)
    return;
  for (uint32_t i = 0; i < targets->ends_count; i++) {
    rsan_stamp_clear(&targets->ends[i].tso);
    for (unsigned which = 0; which < RSAN_ARM_BOTH; which++)
      rsan_arm_view_clear(&targets->ends[i].arm[which].base);
  }
  rsan_host_free(targets->ends);
  rsan_host_free(targets);
}

struct rsan_target_thread *rsan_target_thread_new(struct rsan_targets *targets, uint32_t index) {
  struct rsan_target_thread *thread = RSAN_NEW(struct rsan_target_thread);
  rsan_tso_thread_init(&thread->tso, index);
  rsan_lock(&targets->lock);
  if (index >= atomic_load_explicit(&targets->threads, memory_order_relaxed))
    atomic_store_explicit(&targets->threads, index + 1, memory_order_relaxed);
  const struct rsan_target_end *end = index < targets->ends_count ? &targets->ends[index] : 0;
  thread->tso.l_changes = (end ? end->l_changes : 0) + 1;
  if (end)
    rsan_tso_join(&thread->tso, &end->tso);
  for (unsigned which = 0; which < RSAN_ARM_BOTH; which++)
    rsan_arm_thread_init(&thread->arm[which], index, end ? &end->arm[which] : 0);
  rsan_unlock(&targets->lock);
  return thread;
}

static void grow_target_ends(struct rsan_targets *targets, uint32_t index) {
  if (index < targets->ends_count)
    return;
  uint32_t count = targets->ends_count ? targets->ends_count : RSAN_CLOCK_MIN_ENTRIES;
  while (count <= index)
    count *= 2;
  targets->ends = rsan_enlarge_zeroed(targets->ends, targets->ends_count * sizeof *targets->ends,
                                      count * sizeof *targets->ends);
  targets->ends_count = count;
}

// A number for a stamp of the thread's: SC indices have gaps in any case.
static const struct rsan_stamp *publish_tso(struct rsan_thread *thread) {
  return rsan_tso_publish(&thread->target->tso, ++thread->sc.vs.index);
}

void rsan_target_thread_finish(struct rsan_engine *engine, struct rsan_thread *thread) {
  const struct rsan_stamp *s = publish_tso(thread);
  struct rsan_targets *targets = engine->targets;
  rsan_lock(&targets->lock);
  grow_target_ends(targets, thread->hb.index);
  struct rsan_target_end *end = &targets->ends[thread->hb.index];
  rsan_stamp_assign(&end->tso, s);
  end->l_changes = thread->target->tso.l_changes;
  for (unsigned which = 0; which < RSAN_ARM_BOTH; which++) // for who joins it, too
    rsan_arm_thread_finish(&thread->target->arm[which], &end->arm[which]);
  rsan_unlock(&targets->lock);
}

void rsan_target_thread_free(struct rsan_target_thread *thread) {
  rsan_tso_thread_clear(&thread->tso);
  for (unsigned which = 0; which < RSAN_ARM_BOTH; which++)
    rsan_arm_thread_clear(&thread->arm[which]);
  rsan_host_free(thread);
}

struct rsan_target_location *rsan_target_location_new(const struct rsan_targets *targets) {
  uint32_t threads = atomic_load_explicit(&targets->threads, memory_order_relaxed);
  uint32_t arms = targets->asked & RSAN_TARGET_ARM ? RSAN_ARM_BOTH : 0;
  struct rsan_target_location *location = rsan_new_zeroed(
      sizeof *location + arms * sizeof *location->arm + threads * sizeof *location->coherence.at);
  location->tso.writer = RSAN_MERGED;
  location->arms = arms;
  location->coherence.at = rsan_target_first_place(location);
  location->coherence.count = threads;
  return location;
}

void rsan_target_location_restart(struct rsan_target_location *location) {
  for (uint32_t i = 0; i < location->coherence.count; i++)
    location->coherence.at[i] = (struct rsan_last_access){0};
  rsan_tso_disturb(&location->tso);
  for (unsigned which = 0; which < location->arms; which++)
    rsan_arm_location_restart(&location->arm[which]);
}

void rsan_target_location_free(struct rsan_target_location *location) {
  if (location->coherence.at != rsan_target_first_place(location))
    rsan_host_free(location->coherence.at);
  rsan_tso_location_clear(&location->tso);
  for (unsigned which = 0; which < location->arms; which++)
    rsan_arm_location_clear(&location->arm[which]);
  rsan_host_free(location);
}

void rsan_target_sync_clear(struct rsan_target_sync *sync) {
  rsan_stamp_clear(&sync->tso);
  for (unsigned which = 0; which < RSAN_ARM_BOTH; which++)
    rsan_arm_view_clear(&sync->arm[which]);
}

static bool on_arm(const struct rsan_thread *thread) {
  return thread->engine->targets->asked & RSAN_TARGET_ARM;
}

static void join_targets(struct rsan_thread *thread, const struct rsan_stamp *from) {
  thread->sc.moves += rsan_tso_join(&thread->target->tso, from);
}

void rsan_target_take(struct rsan_thread *thread, const struct rsan_sync *sync) {
  join_targets(thread, &sync->target->tso);
  for (unsigned which = 0; which < RSAN_ARM_BOTH && on_arm(thread); which++)
    thread->sc.moves += rsan_arm_take(&thread->target->arm[which], &sync->target->arm[which]);
}

void rsan_target_publish(struct rsan_thread *thread, struct rsan_sync *sync, bool merge) {
  const struct rsan_stamp *s = publish_tso(thread);
  if (merge)
    rsan_tso_merge(&sync->target->tso, s);
  else
    rsan_stamp_assign(&sync->target->tso, s);
  for (unsigned which = 0; which < RSAN_ARM_BOTH && on_arm(thread); which++)
    rsan_arm_publish(&thread->target->arm[which], &sync->target->arm[which], merge);
}

void rsan_target_join(struct rsan_thread *joiner, const struct rsan_thread *finished) {
  join_targets(joiner, &finished->target->tso.s);
  for (unsigned which = 0; which < RSAN_ARM_BOTH && on_arm(joiner); which++)
    joiner->sc.moves +=
        rsan_arm_take(&joiner->target->arm[which], &finished->target->arm[which].base);
}

static void fence_arm(struct rsan_thread *thread, bool loads_only) {
  for (unsigned which = 0; which < RSAN_ARM_BOTH && on_arm(thread); which++)
    thread->sc.moves += rsan_arm_fence(&thread->target->arm[which], loads_only);
}

void rsan_target_fence(struct rsan_thread *thread) {
  thread->sc.moves += rsan_tso_fence(&thread->target->tso);
  fence_arm(thread, false);
}

void rsan_target_fence_of(struct rsan_thread *thread, enum rsan_order order) {
  if (order == RSAN_SEQ_CST)
    rsan_target_fence(thread);
  else
    fence_arm(thread, !rsan_order_releases(order));
}

void rsan_target_take_location(struct rsan_thread *thread, const struct rsan_location *location) {
  join_targets(thread, &location->more->target->tso.w);
  for (unsigned which = 0; which < RSAN_ARM_BOTH && on_arm(thread); which++)
    thread->sc.moves +=
        rsan_arm_take(&thread->target->arm[which], &location->more->target->arm[which].w);
}

void rsan_target_withdraw(struct rsan_engine *engine, struct rsan_location *location) {
  struct rsan_tso_location *tso = &location->more->target->tso;
  rsan_tso_merge(&engine->withdrawn->target->tso, &tso->w);
  rsan_tso_merge(&engine->withdrawn->target->tso, &tso->m);
  for (unsigned which = 0; which < location->more->target->arms; which++) {
    rsan_arm_view_merge(&engine->withdrawn->target->arm[which],
                        &location->more->target->arm[which].w);
    rsan_arm_view_merge(&engine->withdrawn->target->arm[which],
                        &location->more->target->arm[which].m);
  }
}

// As what is published at a mutex: a fence before and after, and everything passed on.
void rsan_target_unchecked(struct rsan_thread *thread, struct rsan_location *location) {
  struct rsan_tso_location *tso = &location->more->target->tso;
  rsan_tso_access(&thread->target->tso, tso, RSAN_TSO_LOCKED, ++thread->sc.vs.index);
  tso->writer = RSAN_MERGED;
  thread->sc.moves++;
  for (unsigned which = 0; which < RSAN_ARM_BOTH && on_arm(thread); which++)
    rsan_arm_pass(&thread->target->arm[which], &location->more->target->arm[which]);
}
