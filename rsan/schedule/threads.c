// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "threads.h"

#include "../host.h"

#define FIRST_ROOM 16

void rsan_threads_init(struct rsan_threads *t) {
  *t = (struct rsan_threads){.free = RSAN_NO_THREAD};
}

void rsan_threads_clear(struct rsan_threads *t) {
  rsan_host_free(t->thread);
  rsan_host_free(t->ready);
  rsan_host_free(t->bucket);
  rsan_host_free(t->chosen_from);
  rsan_threads_init(t);
}

static uint32_t *bucket_of(struct rsan_threads *t, uint64_t object) {
  return &t->bucket[(object * 0x9E3779B97F4A7C15u >> 32) & (t->room - 1)];
}

static bool has_condition(const struct rsan_scheduled *thread) {
  return thread->state == RSAN_THREAD_PENDING && thread->pending.until != RSAN_UNTIL_NOTHING;
}

static void link_condition(struct rsan_threads *t, uint32_t id) {
  uint32_t *bucket = bucket_of(t, t->thread[id].pending.object);
  t->thread[id].next = *bucket;
  *bucket = id;
}

static void unlink_condition(struct rsan_threads *t, uint32_t id) {
  uint32_t *at = bucket_of(t, t->thread[id].pending.object);
  while (*at != id)
    at = &t->thread[*at].next;
  *at = t->thread[id].next;
}

static void enlarge(struct rsan_threads *t) {
  uint32_t used = t->count, room = t->room ? t->room * 2 : FIRST_ROOM;
  t->thread = rsan_resize(t->thread, used * sizeof *t->thread, room * sizeof *t->thread);
  t->ready = rsan_resize(t->ready, t->ready_count * sizeof *t->ready, room * sizeof *t->ready);
  t->bucket = rsan_resize(t->bucket, 0, room * sizeof *t->bucket);
  t->chosen_from = rsan_resize(t->chosen_from, 0, room * sizeof *t->chosen_from);
  t->room = room;
  for (uint32_t i = 0; i < room; i++)
    t->bucket[i] = RSAN_NO_THREAD;
  for (uint32_t i = 0; i < used; i++)
    if (has_condition(&t->thread[i]))
      link_condition(t, i);
}

static void set_ready(struct rsan_threads *t, uint32_t id, bool is) {
  struct rsan_scheduled *thread = &t->thread[id];
  if (is == (thread->place != RSAN_NO_THREAD))
    return;
  if (is) {
    thread->place = t->ready_count;
    t->ready[t->ready_count++] = id;
    return;
  }
  uint32_t last = t->ready[--t->ready_count];
  t->ready[thread->place] = last;
  t->thread[last].place = thread->place;
  thread->place = RSAN_NO_THREAD;
}

// Asks the thread's condition. A thread that was woken or cancelled, or whose time is over, stays
// ready.
static void ask(struct rsan_threads *t, uint32_t id) {
  const struct rsan_scheduled *thread = &t->thread[id];
  if (thread->expired || thread->cancelled)
    return;
  if (thread->pending.until == RSAN_UNTIL_HOLDS)
    set_ready(t, id, thread->pending.holds(thread->pending.argument));
}

uint32_t rsan_threads_add(struct rsan_threads *t) {
  uint32_t id = t->free;
  if (id != RSAN_NO_THREAD) {
    t->free = t->thread[id].next;
  } else {
    if (t->count == t->room)
      enlarge(t);
    id = t->count++;
  }
  t->thread[id] = (struct rsan_scheduled){
      .state = RSAN_THREAD_PENDING,
      .place = RSAN_NO_THREAD,
      .next = RSAN_NO_THREAD,
      .pending = {.kind = RSAN_KIND_START},
  };
  t->alive++;
  set_ready(t, id, true);
  return id;
}

static bool has_ended(const struct rsan_threads *t, uint64_t id) {
  return id >= t->count || t->thread[id].state == RSAN_THREAD_DEAD ||
         t->thread[id].state == RSAN_THREAD_FREE;
}

void rsan_threads_hand_in(struct rsan_threads *t, uint32_t id, const struct rsan_pending *pending) {
  struct rsan_scheduled *thread = &t->thread[id];
  RSAN_ASSERT(thread->state == RSAN_THREAD_RUNNING || thread->state == RSAN_THREAD_OUTSIDE,
              "a thread that does not run hands in an operation");
  t->outside -= thread->state == RSAN_THREAD_OUTSIDE;
  thread->state = RSAN_THREAD_PENDING;
  thread->pending = *pending;
  thread->expired = thread->retries = thread->cancelled = false;
  t->timed += pending->timed;
  if (pending->until == RSAN_UNTIL_NOTHING) {
    set_ready(t, id, true);
    return;
  }
  link_condition(t, id);
  if (pending->until == RSAN_UNTIL_END)
    set_ready(t, id, has_ended(t, pending->object));
  ask(t, id);
}

void rsan_threads_run(struct rsan_threads *t, uint32_t id) {
  struct rsan_scheduled *thread = &t->thread[id];
  RSAN_ASSERT(rsan_threads_is_ready(t, id), "a thread runs that cannot proceed");
  if (has_condition(thread))
    unlink_condition(t, id);
  set_ready(t, id, false);
  t->timed -= thread->pending.timed;
  thread->state = RSAN_THREAD_RUNNING;
}

void rsan_threads_leave(struct rsan_threads *t, uint32_t id) {
  RSAN_ASSERT(t->thread[id].state == RSAN_THREAD_RUNNING, "a thread leaves that does not run");
  t->thread[id].state = RSAN_THREAD_OUTSIDE;
  t->outside++;
}

void rsan_threads_end(struct rsan_threads *t, uint32_t id) {
  RSAN_ASSERT(t->thread[id].state == RSAN_THREAD_RUNNING, "a thread ends that does not run");
  t->thread[id].state = RSAN_THREAD_DEAD;
  t->alive--;
  for (uint32_t i = *bucket_of(t, id); i != RSAN_NO_THREAD; i = t->thread[i].next)
    if (t->thread[i].pending.until == RSAN_UNTIL_END && t->thread[i].pending.object == id)
      set_ready(t, i, true);
}

void rsan_threads_release(struct rsan_threads *t, uint32_t id) {
  RSAN_ASSERT(t->thread[id].state == RSAN_THREAD_DEAD, "a thread is released that is not dead");
  t->thread[id].state = RSAN_THREAD_FREE;
  t->thread[id].next = t->free;
  t->free = id;
}

void rsan_threads_sort_free(struct rsan_threads *t) {
  t->free = RSAN_NO_THREAD;
  for (uint32_t id = t->count; id-- > 0;)
    if (t->thread[id].state == RSAN_THREAD_FREE) {
      t->thread[id].next = t->free;
      t->free = id;
    }
}

void rsan_threads_touch(struct rsan_threads *t, uint64_t object) {
  if (!t->room)
    return;
  for (uint32_t i = *bucket_of(t, object); i != RSAN_NO_THREAD; i = t->thread[i].next)
    if (t->thread[i].pending.object == object)
      ask(t, i);
}

void rsan_threads_touch_bytes(struct rsan_threads *t, uint64_t object, uint32_t bytes) {
  rsan_threads_touch(t, object);
  if (!t->room || !bytes)
    return;
  uint64_t block = object & ~(uint64_t)15;
  for (uint64_t other = block; other < block + 16; other++)
    for (uint32_t i = *bucket_of(t, other); i != RSAN_NO_THREAD && other != object;
         i = t->thread[i].next)
      if (t->thread[i].pending.object == other &&
          rsan_objects_meet(object, bytes, other, t->thread[i].pending.bytes))
        ask(t, i);
}

void rsan_threads_recheck(struct rsan_threads *t) {
  for (uint32_t i = 0; i < t->count; i++)
    if (has_condition(&t->thread[i]))
      ask(t, i);
}

uint32_t rsan_threads_sleepers(struct rsan_threads *t, uint64_t object, uint32_t mask) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < t->count; i++) {
    const struct rsan_scheduled *thread = &t->thread[i];
    if (has_condition(thread) && thread->pending.until == RSAN_UNTIL_WOKEN &&
        thread->pending.object == object && thread->place == RSAN_NO_THREAD &&
        (!thread->pending.mask || thread->pending.mask & mask))
      t->chosen_from[count++] = i;
  }
  return count;
}

void rsan_threads_move(struct rsan_threads *t, uint32_t id, uint64_t object) {
  unlink_condition(t, id);
  t->thread[id].pending.object = object;
  link_condition(t, id);
}

void rsan_threads_wake(struct rsan_threads *t, uint32_t id) {
  set_ready(t, id, true);
}

void rsan_threads_retry(struct rsan_threads *t) {
  for (uint32_t i = 0; i < t->count; i++) {
    struct rsan_scheduled *thread = &t->thread[i];
    if (!has_condition(thread) || !thread->pending.tries || thread->place != RSAN_NO_THREAD)
      continue;
    thread->retries = true;
    set_ready(t, i, true);
  }
}

uint32_t rsan_threads_impatient(struct rsan_threads *t) {
  uint32_t count = 0;
  for (uint32_t i = 0; t->timed && i < t->count; i++) {
    const struct rsan_scheduled *thread = &t->thread[i];
    if (has_condition(thread) && thread->pending.timed && thread->place == RSAN_NO_THREAD)
      t->chosen_from[count++] = i;
  }
  return count;
}

void rsan_threads_cancel(struct rsan_threads *t, uint32_t id) {
  t->thread[id].cancelled = true;
  set_ready(t, id, true);
}

void rsan_threads_expire(struct rsan_threads *t, uint32_t id) {
  t->thread[id].expired = true;
  set_ready(t, id, true);
}
