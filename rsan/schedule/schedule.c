// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "schedule.h"

#include "../host.h"

void rsan_schedule_init(struct rsan_schedule *s, const struct rsan_policy_options *options) {
  *s = (struct rsan_schedule){.last = RSAN_NO_THREAD, .livelock = {.bound = options->livelock}};
  rsan_threads_init(&s->threads);
  rsan_policy_init(&s->policy, options);
}

void rsan_schedule_clear(struct rsan_schedule *s) {
  rsan_threads_clear(&s->threads);
}

void rsan_schedule_restart(struct rsan_schedule *s, const struct rsan_policy_options *options) {
  struct rsan_threads *t = &s->threads;
  uint64_t hurried = s->policy.hurried;
  if (s->explored)
    return;
  rsan_policy_init(&s->policy, options);
  s->policy.hurried = hurried;
  rsan_threads_sort_free(t);
  for (uint32_t id = 0; id < t->count; id++) {
    t->thread[id].steps = 0;
    if (t->thread[id].state != RSAN_THREAD_DEAD && t->thread[id].state != RSAN_THREAD_FREE)
      rsan_policy_new_thread(&s->policy, t, id);
  }
}

uint32_t rsan_schedule_add(struct rsan_schedule *s, uint32_t creator) {
  uint32_t thread = rsan_threads_add(&s->threads);
  if (s->explored)
    rsan_explored_add(s->explored, thread, creator);
  rsan_policy_new_thread(&s->policy, &s->threads, thread);
  return thread;
}

void rsan_schedule_hand_in(struct rsan_schedule *s, uint32_t thread,
                           const struct rsan_pending *pending) {
  rsan_threads_hand_in(&s->threads, thread, pending);
  s->threads.thread[thread].alone = s->threads.alive == 1;
  rsan_policy_handed_in(&s->policy, &s->threads, thread);
  if (s->explored && !s->follow)
    rsan_explored_hand_in(s->explored, thread, pending);
}

void rsan_schedule_leave(struct rsan_schedule *s, uint32_t thread) {
  rsan_threads_leave(&s->threads, thread);
}

void rsan_schedule_end(struct rsan_schedule *s, uint32_t thread) {
  rsan_threads_end(&s->threads, thread);
}

static struct rsan_label label_of(const struct rsan_scheduled *thread, bool expired) {
  return (struct rsan_label){
      .point = thread->pending.point,
      .kind = thread->pending.kind | (expired ? RSAN_LABEL_EXPIRED : 0),
  };
}

// A thread that comes to a step when it is alone makes it in an exploration alone, but for those in
// which it waits.
static bool is_recorded(const struct rsan_schedule *s, const struct rsan_scheduled *thread) {
  return s->record && (!s->explored || !thread->alone || thread->pending.kind == RSAN_KIND_JOIN);
}

static struct rsan_choice go(struct rsan_schedule *s, uint32_t thread) {
  const struct rsan_scheduled *chosen = &s->threads.thread[thread];
  bool expired = chosen->expired;
  s->steps++;
  s->last = thread;
  s->writes = chosen->pending.writes;
  s->object = chosen->pending.object;
  s->bytes = chosen->pending.bytes;
  s->retried &= chosen->retries;
  if (is_recorded(s, chosen))
    rsan_recorder_step(s->record, thread, label_of(chosen, expired));
  if (s->record && s->explored)
    rsan_recorder_flush(s->record); // it may end by a crash
  rsan_livelock_step(&s->livelock, &s->threads, thread);
  rsan_threads_run(&s->threads, thread);
  return (struct rsan_choice){expired ? RSAN_CHOSE_EXPIRE : RSAN_CHOSE_RUN, thread};
}

static void differ(struct rsan_schedule *s, enum rsan_difference_kind kind,
                   struct rsan_label here) {
  const struct rsan_replay_next *next = &s->replay->next;
  s->difference = (struct rsan_difference){
      .kind = next->what == RSAN_REPLAY_BAD ? RSAN_DIFFERS_FILE : kind,
      .step = s->steps + 1,
      .thread = next->thread,
      .recorded = next->label,
      .here = here,
  };
}

static bool is_replayed(const struct rsan_schedule *s) {
  return s->replay && s->difference.kind == RSAN_SAME;
}

// Asks for what operations have not shown.
static void look_again(struct rsan_schedule *s) {
  rsan_threads_recheck(&s->threads);
  if (s->threads.ready_count || s->retried)
    return;
  s->retried = true;
  rsan_threads_retry(&s->threads);
}

// Whether the recorded thread can make its recorded step; if not, it is said what differs.
static bool can_repeat(struct rsan_schedule *s, struct rsan_scheduled *thread) {
  const struct rsan_replay_next *next = &s->replay->next;
  bool expires = next->label.kind & RSAN_LABEL_EXPIRED;
  struct rsan_label here = label_of(thread, expires);
  if (thread->state != RSAN_THREAD_PENDING)
    differ(s, RSAN_DIFFERS_THREAD, here);
  else if (!rsan_label_same(here, next->label) || (expires && !thread->pending.timed))
    differ(s, RSAN_DIFFERS_POINT, here);
  else if (expires)
    rsan_threads_expire(&s->threads, next->thread);
  else if (thread->place == RSAN_NO_THREAD)
    look_again(s);
  if (s->difference.kind == RSAN_SAME && thread->place == RSAN_NO_THREAD)
    differ(s, RSAN_DIFFERS_BLOCKED, here);
  return s->difference.kind == RSAN_SAME;
}

// False: the policy has to choose.
static bool repeat_step(struct rsan_schedule *s, struct rsan_choice *choice) {
  const struct rsan_replay_next *next = &s->replay->next;
  if (next->what == RSAN_REPLAY_END || next->what == RSAN_REPLAY_CUT)
    return false;
  if (next->what != RSAN_REPLAY_STEP) {
    differ(s, RSAN_DIFFERS_WAKE, (struct rsan_label){0});
    return false;
  }
  if (next->thread >= s->threads.count) {
    differ(s, RSAN_DIFFERS_THREAD, (struct rsan_label){0});
    return false;
  }
  struct rsan_scheduled *thread = &s->threads.thread[next->thread];
  if (thread->state == RSAN_THREAD_OUTSIDE) {
    *choice = (struct rsan_choice){RSAN_CHOSE_AWAIT, next->thread};
    return true;
  }
  if (!can_repeat(s, thread))
    return false;
  uint32_t repeated = next->thread;
  rsan_replay_take(s->replay);
  *choice = go(s, repeated);
  return true;
}

static struct rsan_choice go_by_policy(struct rsan_schedule *s) {
  if (is_replayed(s))
    differ(s, RSAN_DIFFERS_END, (struct rsan_label){0}); // a recorded deadlock makes no step
  return go(s, rsan_policy_next(&s->policy, &s->threads, s->last));
}

// Nobody can proceed, and no time limit will end a wait. A thread that is asked for here may have
// woken somebody and have ended just before: so conditions that did not hold are asked again.
static bool may_be_woken(struct rsan_schedule *s) {
  const uint32_t ready = s->threads.ready_count;
  if (!s->may_be_woken)
    return false;
  if (s->may_be_woken())
    return true;
  rsan_threads_recheck(&s->threads);
  return s->threads.ready_count > ready;
}

static const struct rsan_choice nobody_here = {RSAN_CHOSE_OUTSIDE, RSAN_NO_THREAD};

// Nobody can proceed, as far as operations have shown.
static struct rsan_choice when_stuck(struct rsan_schedule *s) {
  struct rsan_threads *t = &s->threads;
  look_again(s);
  if (!t->ready_count && t->outside)
    return nobody_here;
  if (!t->ready_count) {
    uint32_t count = rsan_threads_impatient(t);
    if (!count && !s->assumed && may_be_woken(s))
      return nobody_here;
    if (!count)
      return (struct rsan_choice){s->assumed ? RSAN_CHOSE_GIVE_UP : RSAN_CHOSE_DEADLOCK,
                                  RSAN_NO_THREAD};
    rsan_threads_expire(t, rsan_policy_pick(&s->policy, t, count));
  }
  return go_by_policy(s);
}

// A thread has waited as often as the bound, once more: who would try is told to, for only then is
// it known to get no further either.
static void before_a_livelock(struct rsan_schedule *s) {
  if (!s->livelock.bound || s->last == RSAN_NO_THREAD)
    return;
  const uint32_t waits = rsan_livelock_waits(&s->livelock, &s->threads.thread[s->last]);
  if (waits && waits % s->livelock.bound == 0)
    rsan_threads_retry(&s->threads);
}

// Nobody can proceed but, if any, who waits for a time: the first of them does. Loops that wait for
// a value go on for ever, if there is nobody else. False: there are only such loops.
static bool end_a_wait(struct rsan_schedule *s) {
  struct rsan_threads *t = &s->threads;
  rsan_threads_recheck(t);
  uint32_t count = rsan_explored_goes_on(s->explored, t) ? 0 : rsan_threads_impatient(t);
  for (uint32_t i = 0; i < count; i++)
    if (t->thread[t->chosen_from[i]].pending.until != RSAN_UNTIL_HOLDS) {
      rsan_threads_expire(t, t->chosen_from[i]);
      return true;
    }
  return !count;
}

static struct rsan_choice explore(struct rsan_schedule *s) {
  struct rsan_threads *t = &s->threads;
  bool beyond = s->explored->beyond.began;
  if (!beyond && !rsan_explored_goes_on(s->explored, t) && !end_a_wait(s) && !t->ready_count &&
      !t->outside) {
    if (!s->explored->given_up && !s->explored->assumed && may_be_woken(s))
      return nobody_here;
    rsan_explored_spins(s->explored);
  }
  bool any = beyond ? t->ready_count != 0 : rsan_explored_goes_on(s->explored, t);
  if (!any && t->outside && !s->explored->given_up)
    return nobody_here;
  uint32_t thread = rsan_explored_next(s->explored, t);
  if (thread != RSAN_NO_THREAD)
    return go(s, thread);
  if (!s->explored->given_up && may_be_woken(s))
    return nobody_here;
  if (s->explored->spins && may_be_woken(s))
    s->explored->spins = false; // it is not known to be a livelock
  s->explored->stuck = !s->explored->given_up;
  return (struct rsan_choice){s->explored->stuck ? RSAN_CHOSE_DEADLOCK : RSAN_CHOSE_GIVE_UP,
                              RSAN_NO_THREAD};
}

static struct rsan_choice go_as_followed(struct rsan_schedule *s) {
  bool is_deadlock = false;
  uint32_t thread = s->follow(&is_deadlock);
  if (thread != RSAN_NO_THREAD)
    return go(s, thread);
  return (struct rsan_choice){is_deadlock ? RSAN_CHOSE_DEADLOCK : RSAN_CHOSE_GIVE_UP,
                              RSAN_NO_THREAD};
}

struct rsan_choice rsan_schedule_choose(struct rsan_schedule *s) {
  struct rsan_threads *t = &s->threads;
  struct rsan_choice choice;
  if (s->writes)
    rsan_threads_touch_bytes(t, s->object, s->bytes);
  s->writes = false;
  before_a_livelock(s);
  if (!t->alive)
    return (struct rsan_choice){RSAN_CHOSE_NOBODY, RSAN_NO_THREAD};
  if (s->follow)
    return go_as_followed(s);
  if (s->explored)
    return explore(s);
  if (is_replayed(s) && repeat_step(s, &choice))
    return choice;
  if (!t->ready_count)
    return when_stuck(s);
  return go_by_policy(s);
}

bool rsan_schedule_livelocked(const struct rsan_schedule *s) {
  return rsan_livelock_is(&s->livelock, &s->threads);
}

void rsan_schedule_stop_replay(struct rsan_schedule *s) {
  if (is_replayed(s))
    differ(s, RSAN_DIFFERS_BLOCKED, (struct rsan_label){0});
}

static bool is_among(const struct rsan_threads *t, uint32_t count, uint32_t thread) {
  for (uint32_t i = 0; i < count; i++)
    if (t->chosen_from[i] == thread)
      return true;
  return false;
}

static uint32_t pick_sleeper(struct rsan_schedule *s, uint32_t count) {
  if (s->explored)
    return s->threads.chosen_from[rsan_explored_choose(s->explored, count)];
  if (is_replayed(s)) {
    uint32_t thread = s->replay->next.thread;
    if (s->replay->next.what == RSAN_REPLAY_WOKEN && is_among(&s->threads, count, thread)) {
      rsan_replay_take(s->replay);
      return thread;
    }
    differ(s, RSAN_DIFFERS_WAKE, (struct rsan_label){0});
  }
  return rsan_policy_pick(&s->policy, &s->threads, count);
}

static void wake(struct rsan_schedule *s, uint32_t thread) {
  rsan_threads_wake(&s->threads, thread);
  if (s->explored)
    rsan_explored_woken(s->explored, thread);
}

void rsan_schedule_cancel(struct rsan_schedule *s, uint32_t thread) {
  const struct rsan_scheduled *cancelled = &s->threads.thread[thread];
  if (cancelled->state != RSAN_THREAD_PENDING || cancelled->place != RSAN_NO_THREAD)
    return;
  rsan_threads_cancel(&s->threads, thread);
  if (s->explored)
    rsan_explored_woken(s->explored, thread);
}

// One of those who wait on the object; RSAN_NO_THREAD: there are none.
static uint32_t choose_sleeper(struct rsan_schedule *s, uint64_t object, uint32_t mask) {
  uint32_t count = rsan_threads_sleepers(&s->threads, object, mask);
  if (!count)
    return RSAN_NO_THREAD;
  uint32_t thread = s->threads.chosen_from[0];
  if (count > 1) {
    thread = pick_sleeper(s, count);
    if (s->record)
      rsan_recorder_woken(s->record, thread);
  }
  return thread;
}

uint32_t rsan_schedule_wake_masked(struct rsan_schedule *s, uint64_t object, uint32_t mask) {
  uint32_t thread = choose_sleeper(s, object, mask);
  if (thread == RSAN_NO_THREAD)
    return 0;
  wake(s, thread);
  return 1;
}

uint32_t rsan_schedule_wake_one(struct rsan_schedule *s, uint64_t object) {
  return rsan_schedule_wake_masked(s, object, UINT32_MAX);
}

uint32_t rsan_schedule_move_one(struct rsan_schedule *s, uint64_t from, uint64_t to) {
  uint32_t thread = choose_sleeper(s, from, UINT32_MAX);
  if (thread == RSAN_NO_THREAD)
    return 0;
  rsan_threads_move(&s->threads, thread, to);
  return 1;
}

uint32_t rsan_schedule_wake_all(struct rsan_schedule *s, uint64_t object) {
  uint32_t count = rsan_threads_sleepers(&s->threads, object, UINT32_MAX);
  for (uint32_t i = 0; i < count; i++)
    wake(s, s->threads.chosen_from[i]);
  return count;
}

uint32_t rsan_schedule_choose_value(struct rsan_schedule *s, uint32_t count) {
  if (s->explored) {
    const uint32_t value = rsan_explored_choose(s->explored, count);
    if (s->record) {
      rsan_recorder_chosen(s->record, value);
      rsan_recorder_flush(s->record);
    }
    return value;
  }
  if (!is_replayed(s) || s->replay->next.what != RSAN_REPLAY_CHOSEN)
    return 0;
  const uint32_t value = s->replay->next.value;
  if (value >= count) {
    differ(s, RSAN_DIFFERS_CHOICE, (struct rsan_label){0});
    return 0;
  }
  rsan_replay_take(s->replay);
  return value;
}

uint32_t rsan_schedule_choose_departure(struct rsan_schedule *s, uint32_t count, uint32_t wanted) {
  if (s->explored && !rsan_explored_may_depart(s->explored))
    return 0;
  if (s->explored || is_replayed(s)) {
    const uint32_t chosen = rsan_schedule_choose_value(s, count);
    if (s->explored && chosen)
      rsan_explored_departs(s->explored);
    return chosen;
  }
  if (wanted && s->record) {
    rsan_recorder_chosen(s->record, wanted);
    rsan_recorder_flush(s->record);
  }
  return wanted;
}

bool rsan_schedule_fails(struct rsan_schedule *s) {
  if (!s->explored) {
    const bool fails = is_replayed(s) && s->replay->next.what == RSAN_REPLAY_FAILED;
    if (fails)
      rsan_replay_take(s->replay);
    return fails;
  }
  const bool fails = rsan_explored_fails(s->explored);
  if (fails && s->record) {
    rsan_recorder_failed(s->record);
    rsan_recorder_flush(s->record);
  }
  return fails;
}

bool rsan_schedule_assumes(struct rsan_schedule *s) {
  if (s->explored) {
    rsan_explored_assumed(s->explored);
    if (s->record) {
      rsan_recorder_assumed(s->record);
      rsan_recorder_flush(s->record);
    }
  } else if (is_replayed(s) && s->replay->next.what == RSAN_REPLAY_ASSUMED) {
    rsan_replay_take(s->replay);
  } else {
    return false;
  }
  s->assumed = true;
  return true;
}
