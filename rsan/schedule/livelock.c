// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "livelock.h"

#include "../host.h"

static bool loads_the_same(const struct rsan_scheduled *thread) {
  const struct rsan_pending *pending = &thread->pending;
  return pending->kind == RSAN_KIND_LOAD && thread->loads && thread->loaded == pending->object &&
         thread->loaded_at == pending->point;
}

static bool only_waits(const struct rsan_scheduled *thread) {
  const struct rsan_pending *pending = &thread->pending;
  if (thread->expired)
    return pending->kind != RSAN_KIND_SPIN || !pending->writes;
  return thread->retries || rsan_pending_yields(pending) || loads_the_same(thread);
}

void rsan_livelock_step(struct rsan_livelock *l, struct rsan_threads *t, uint32_t id) {
  struct rsan_scheduled *thread = &t->thread[id];
  if (!l->bound)
    return;
  if (only_waits(thread)) {
    if (thread->waits_since != l->progress)
      thread->waits = 0;
    thread->waits_since = l->progress;
    thread->waits += thread->waits < UINT32_MAX;
  } else {
    l->progress++;
  }
  if (thread->pending.kind == RSAN_KIND_LOAD) {
    thread->loads = true;
    thread->loaded = thread->pending.object;
    thread->loaded_at = thread->pending.point;
  }
}

uint32_t rsan_livelock_waits(const struct rsan_livelock *l, const struct rsan_scheduled *thread) {
  return thread->waits_since == l->progress ? thread->waits : 0;
}

// Whether it may get further, for what is known of it.
static bool may_get_on(const struct rsan_livelock *l, const struct rsan_scheduled *thread) {
  const struct rsan_pending *pending = &thread->pending;
  if (thread->state != RSAN_THREAD_PENDING)
    return true;
  if (thread->place != RSAN_NO_THREAD)
    return !only_waits(thread) || rsan_livelock_waits(l, thread) < l->bound;
  if (pending->until == RSAN_UNTIL_HOLDS && pending->holds(pending->argument))
    return true;
  if (pending->timed)
    return rsan_livelock_waits(l, thread) < l->bound;
  return pending->tries && !rsan_livelock_waits(l, thread);
}

bool rsan_livelock_is(const struct rsan_livelock *l, const struct rsan_threads *t) {
  if (!l->bound)
    return false;
  bool any = false;
  for (uint32_t i = 0; i < t->count; i++) {
    const struct rsan_scheduled *thread = &t->thread[i];
    if (thread->state == RSAN_THREAD_FREE || thread->state == RSAN_THREAD_DEAD)
      continue;
    if (may_get_on(l, thread))
      return false;
    any |= thread->place != RSAN_NO_THREAD || thread->pending.timed;
  }
  return any;
}
