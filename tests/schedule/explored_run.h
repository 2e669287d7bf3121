// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A schedule whose run is one of an exploration, called directly, and what its threads do.

#ifndef EXPLORED_RUN_H
#define EXPLORED_RUN_H

#include "schedule/dpor.h"
#include "schedule/explored.h"
#include "schedule/schedule.h"

static struct rsan_schedule s;
static struct rsan_explored x;

static inline int end(void **state) {
  (void)state;
  rsan_schedule_clear(&s);
  return unit_check_memory();
}

static inline bool holds(void *argument) {
  return *(const bool *)argument;
}
static bool never;

static const struct rsan_pending store = {
    .kind = RSAN_KIND_STORE, .object = 1, .point = 11, .writes = true};
static const struct rsan_pending load = {.kind = RSAN_KIND_LOAD, .object = 1, .point = 12};
static const struct rsan_pending load_other = {.kind = RSAN_KIND_LOAD, .object = 2, .point = 13};
static const struct rsan_pending yield = {.kind = RSAN_KIND_YIELD, .point = 14};
static const struct rsan_pending sleep = {.kind = RSAN_KIND_SLEEP, .point = 15};
static const struct rsan_pending blocked = {.kind = RSAN_KIND_LOCK,
                                            .object = 3,
                                            .point = 16,
                                            .until = RSAN_UNTIL_HOLDS,
                                            .holds = holds,
                                            .argument = &never,
                                            .writes = true};
static const struct rsan_pending end_of_thread = {.kind = RSAN_KIND_END, .point = 17};

// Another run of the same exploration.
static inline void again(void) {
  const struct rsan_policy_options options = {.name = RSAN_POLICY_RANDOM};
  rsan_schedule_clear(&s);
  rsan_schedule_init(&s, &options);
  rsan_explored_begin(&x);
  s.explored = &x;
}

// The first run of an exploration.
static inline void begin(uint32_t prefix) {
  again();
  x.names.count = 0;
  x.prefix = prefix;
  x.preemptions = RSAN_DPOR_UNBOUNDED;
  x.loop = 1000000;
  x.spurious = x.unroll = 0;
}

// The prefix, after begin.
static inline void ask(uint32_t count, const uint32_t *threads) {
  x.prefix = count;
  for (uint32_t i = 0; i < count; i++)
    x.step[i] = (struct rsan_dpor_step){.thread = threads[i]};
}

static inline uint32_t add(uint32_t creator) {
  return rsan_schedule_add(&s, creator);
}

static inline uint32_t choose(void) {
  return rsan_schedule_choose(&s).thread;
}

// The first thread begins.
static inline void start(void) {
  add(RSAN_NO_THREAD);
  choose();
}

// The thread hands in what it does next; who goes on.
static inline uint32_t go(uint32_t thread, const struct rsan_pending *pending) {
  if (!s.threads.count)
    start();
  rsan_schedule_hand_in(&s, thread, pending);
  return choose();
}

static inline uint32_t ended(uint32_t thread) {
  rsan_schedule_end(&s, thread);
  return choose();
}

// Three threads that store, to one object.
static inline void begin_three(uint32_t prefix, const uint32_t *threads) {
  begin(0);
  ask(prefix, threads);
  start();
  add(0);
  add(0);
}

static inline void sleep_on(uint32_t thread, const struct rsan_pending *pending) {
  x.sleeper[x.sleepers++] = (struct rsan_dpor_sleeper){{.object = pending->object,
                                                        .point = pending->point,
                                                        .kind = pending->kind,
                                                        .writes = pending->writes},
                                                       thread};
}

#endif
