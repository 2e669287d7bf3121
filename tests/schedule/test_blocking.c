// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan/schedule/threads.h and schedule.h: what can proceed, and what is said when nothing can.

#include "unit.h"

#include "programs.h"

static struct model m;

static int end(void **state) {
  (void)state;
  return unit_check_memory();
}

static void a_deadlock_of_two_mutexes_is_recognised(void **state) {
  (void)state;
  uint32_t dead = outcomes(&m, &opposite, RSAN_CHOSE_DEADLOCK),
           ends = outcomes(&m, &opposite, RSAN_CHOSE_NOBODY);
  assert_true(dead > 0 && ends > 0);
  assert_int_equal(dead + ends, 100 * POLICIES);
}

static void there_is_none_in_the_same_order(void **state) {
  (void)state;
  assert_int_equal(outcomes(&m, &same_order, RSAN_CHOSE_NOBODY), 100 * POLICIES);
}

static void a_lost_signal_is_a_deadlock(void **state) {
  (void)state;
  uint32_t dead = outcomes(&m, &lost_signal, RSAN_CHOSE_DEADLOCK);
  assert_true(dead > 0 && dead < 100 * POLICIES);
}

static void a_time_that_is_over_ends_a_wait(void **state) {
  (void)state;
  uint32_t expired = 0;
  for (uint64_t seed = 0; seed < 100; seed++) {
    struct rsan_policy_options options = seeded(&policies[0], seed);
    model_do(&m, &timed_signal, &options);
    assert_int_equal(m.outcome, RSAN_CHOSE_NOBODY);
    assert_int_equal(m.thread[1].result, m.expired);
    expired += m.expired;
  }
  assert_true(expired > 0 && expired < 100);
}

// The twin: while others can go on, no time is over.
static void no_time_is_over_before_nothing_else_can_run(void **state) {
  (void)state;
  static const struct model_program patient = {BOTH(
      {{M_LOCK, MUTEX}, {M_UP, SEM}, {M_TIMED_WAIT, COND, MUTEX}, {M_UNLOCK, MUTEX}},
      {{M_DOWN, SEM}, {M_LOCK, MUTEX}, {M_YIELD}, {M_YIELD}, {M_SIGNAL, COND}, {M_UNLOCK, MUTEX}})};
  assert_int_equal(outcomes(&m, &patient, RSAN_CHOSE_NOBODY), 100 * POLICIES);
  for (uint64_t seed = 0; seed < 100; seed++) {
    struct rsan_policy_options options = seeded(&policies[0], seed);
    model_do(&m, &patient, &options);
    assert_int_equal(m.expired, 0);
  }
}

static void a_thread_that_joins_itself_is_a_deadlock(void **state) {
  (void)state;
  static const struct model_program self = {{{{M_JOIN, 0}}}};
  assert_int_equal(outcomes(&m, &self, RSAN_CHOSE_DEADLOCK), 100 * POLICIES);
}

static void a_barrier_that_one_misses_is_a_deadlock(void **state) {
  (void)state;
  static const struct model_program missed = {BOTH(MEETING, {{M_BARRIER, BAR, 3}})};
  assert_int_equal(outcomes(&m, &missed, RSAN_CHOSE_DEADLOCK), 100 * POLICIES);
  assert_int_equal(outcomes(&m, &barrier, RSAN_CHOSE_NOBODY), 100 * POLICIES);
}

static void signals_wake_each_of_the_sleepers(void **state) {
  (void)state;
  // The policy chooses whom the first signal wakes, so each of the three is first in some run.
  uint32_t first = 0;
  for (uint64_t seed = 0; seed < 100; seed++) {
    struct rsan_policy_options options = seeded(&policies[0], seed);
    struct rsan_schedule s;
    rsan_schedule_init(&s, &options);
    for (uint32_t i = 0; i < 4; i++)
      rsan_schedule_add(&s, RSAN_NO_THREAD);
    static const struct rsan_pending sleep = {
        .kind = RSAN_KIND_COND_WAIT, .object = 9, .until = RSAN_UNTIL_WOKEN};
    for (uint32_t i = 0; i < 4; i++)
      rsan_threads_run(&s.threads, i);
    for (uint32_t i = 1; i < 4; i++)
      rsan_schedule_hand_in(&s, i, &sleep);
    assert_int_equal(rsan_schedule_wake_one(&s, 8), 0); // another one
    assert_int_equal(s.threads.ready_count, 0);
    assert_int_equal(rsan_schedule_wake_one(&s, 9), 1);
    assert_int_equal(s.threads.ready_count, 1);
    first |= 1u << s.threads.ready[0];
    assert_int_equal(rsan_schedule_wake_all(&s, 9), 2);
    assert_int_equal(rsan_schedule_wake_one(&s, 9), 0); // nobody sleeps
    rsan_schedule_clear(&s);
  }
  assert_int_equal(first, 1 << 1 | 1 << 2 | 1 << 3);
}

// Threads 1 to 3 sleep with the masks 1, 6 and 4.
static void begin_masked(struct rsan_schedule *s) {
  const struct rsan_policy_options options = {.switch_percent = 100};
  struct rsan_pending sleep = {.kind = RSAN_KIND_LOCK, .object = 9, .until = RSAN_UNTIL_WOKEN};
  static const uint32_t masks[] = {0, 1, 6, 4};
  rsan_schedule_init(s, &options);
  for (uint32_t i = 0; i < 4; i++)
    rsan_schedule_add(s, RSAN_NO_THREAD);
  for (uint32_t i = 0; i < 4; i++)
    rsan_threads_run(&s->threads, i);
  for (uint32_t i = 1; i < 4; i++) {
    sleep.mask = masks[i];
    rsan_schedule_hand_in(s, i, &sleep);
  }
}

static void a_wake_is_for_those_of_its_mask(void **state) {
  (void)state;
  struct rsan_schedule s;
  begin_masked(&s);
  assert_int_equal(rsan_schedule_wake_masked(&s, 9, 8), 0);
  assert_int_equal(rsan_schedule_wake_masked(&s, 9, 2), 1);
  assert_true(rsan_threads_is_ready(&s.threads, 2));
  assert_int_equal(rsan_schedule_wake_masked(&s, 9, 2), 0);
  assert_int_equal(rsan_schedule_wake_masked(&s, 9, 12), 1);
  assert_true(rsan_threads_is_ready(&s.threads, 3));
  assert_int_equal(rsan_schedule_wake_one(&s, 9), 1); // of any mask
  rsan_schedule_clear(&s);
}

static void who_is_moved_is_woken_elsewhere(void **state) {
  (void)state;
  struct rsan_schedule s;
  begin_masked(&s);
  assert_int_equal(rsan_schedule_move_one(&s, 8, 7), 0); // nobody sleeps there
  for (uint32_t i = 0; i < 3; i++)
    assert_int_equal(rsan_schedule_move_one(&s, 9, 7), 1);
  assert_int_equal(rsan_schedule_move_one(&s, 9, 7), 0);
  assert_int_equal(rsan_schedule_wake_all(&s, 9), 0);
  assert_int_equal(rsan_schedule_wake_masked(&s, 7, 1), 1); // each keeps its mask
  assert_true(rsan_threads_is_ready(&s.threads, 1));
  assert_int_equal(rsan_schedule_wake_all(&s, 7), 2);
  rsan_schedule_clear(&s);
}

static void calls_outside_are_no_deadlock(void **state) {
  (void)state;
  assert_int_equal(outcomes(&m, &outside, RSAN_CHOSE_NOBODY), 100 * POLICIES);
  assert_int_equal(outcomes(&m, &outside_for_ever, RSAN_CHOSE_OUTSIDE), 100 * POLICIES);
}

static bool is_set(void *argument) {
  return *(const bool *)argument;
}

// A condition that was true on arrival, and is false later.
static void conditions_are_asked_when_their_object_changes(void **state) {
  (void)state;
  bool open = true;
  struct rsan_policy_options options = {.switch_percent = 100};
  struct rsan_schedule s;
  rsan_schedule_init(&s, &options);
  rsan_schedule_add(&s, RSAN_NO_THREAD);
  rsan_threads_run(&s.threads, 0);
  struct rsan_pending spins = {.kind = RSAN_KIND_SPIN,
                               .object = 5,
                               .until = RSAN_UNTIL_HOLDS,
                               .holds = is_set,
                               .argument = &open};
  rsan_schedule_hand_in(&s, 0, &spins);
  assert_true(rsan_threads_is_ready(&s.threads, 0));
  open = false;
  rsan_threads_touch(&s.threads, 6);
  assert_true(rsan_threads_is_ready(&s.threads, 0)); // nobody has asked
  rsan_threads_touch(&s.threads, 5);
  assert_false(rsan_threads_is_ready(&s.threads, 0));
  assert_int_equal(rsan_schedule_choose(&s).outcome, RSAN_CHOSE_DEADLOCK);
  open = true; // by what nobody has seen: before a deadlock all are asked again
  assert_int_equal(rsan_schedule_choose(&s).outcome, RSAN_CHOSE_RUN);
  rsan_schedule_clear(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(a_deadlock_of_two_mutexes_is_recognised, end),
      cmocka_unit_test_teardown(there_is_none_in_the_same_order, end),
      cmocka_unit_test_teardown(a_lost_signal_is_a_deadlock, end),
      cmocka_unit_test_teardown(a_time_that_is_over_ends_a_wait, end),
      cmocka_unit_test_teardown(no_time_is_over_before_nothing_else_can_run, end),
      cmocka_unit_test_teardown(a_thread_that_joins_itself_is_a_deadlock, end),
      cmocka_unit_test_teardown(a_barrier_that_one_misses_is_a_deadlock, end),
      cmocka_unit_test_teardown(signals_wake_each_of_the_sleepers, end),
      cmocka_unit_test_teardown(a_wake_is_for_those_of_its_mask, end),
      cmocka_unit_test_teardown(who_is_moved_is_woken_elsewhere, end),
      cmocka_unit_test_teardown(calls_outside_are_no_deadlock, end),
      cmocka_unit_test_teardown(conditions_are_asked_when_their_object_changes, end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
