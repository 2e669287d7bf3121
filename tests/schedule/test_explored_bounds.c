// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a run of an exploration (rsan/schedule/explored.h) is given up: at its bounds, and where it
// differs from an earlier one. And what does not count.

#include "unit.h"

#include "explored_run.h"

static void who_cannot_proceed_is_a_divergence(void **state) {
  (void)state;
  static const uint32_t prefix[] = {0, 1, 1};
  begin_three(3, prefix);
  go(0, &store);
  assert_int_equal(go(1, &blocked), RSAN_NO_THREAD);
  assert_int_equal(x.given_up, RSAN_GIVEN_UP_DIVERGED);
  assert_int_equal(x.count, 2);
  // The twin: it can.
  begin_three(3, prefix);
  go(0, &store);
  assert_int_equal(go(1, &store), 1);
  assert_int_equal(x.given_up, RSAN_GIVEN_UP_NOT);
}

static void a_thread_that_is_not_there_is_a_divergence(void **state) {
  (void)state;
  static const uint32_t unknown[] = {0, 3}, far[] = {0, 100};
  begin_three(2, unknown);
  assert_int_equal(go(0, &store), RSAN_NO_THREAD);
  assert_int_equal(x.given_up, RSAN_GIVEN_UP_DIVERGED);
  begin_three(2, far);
  assert_int_equal(go(0, &store), RSAN_NO_THREAD);
  assert_int_equal(x.given_up, RSAN_GIVEN_UP_DIVERGED);
}

static void another_choice_is_a_divergence(void **state) {
  (void)state;
  static const uint32_t prefix[] = {0, 0, 0};
  begin_three(3, prefix);
  x.step[2] = (struct rsan_dpor_step){.thread = 0, .choices = 3, .choice = 2};
  go(0, &store);
  assert_int_equal(rsan_explored_choose(&x, 2), 0); // one that there is
  assert_int_equal(x.given_up, RSAN_GIVEN_UP_DIVERGED);
  assert_int_equal(go(0, &store), RSAN_NO_THREAD);
  // A choice where the prefix has a step.
  begin_three(3, prefix);
  go(0, &store);
  rsan_explored_choose(&x, 2);
  assert_int_equal(x.given_up, RSAN_GIVEN_UP_DIVERGED);
  // A step where the prefix has a choice.
  begin_three(3, prefix);
  x.step[2] = (struct rsan_dpor_step){.thread = 0, .choices = 3};
  go(0, &store);
  assert_int_equal(go(0, &store), RSAN_NO_THREAD);
  assert_int_equal(x.given_up, RSAN_GIVEN_UP_DIVERGED);
}

// Who sleeps is about to do something else than in the run in which it was put to sleep.
static void another_sleeper_is_a_divergence(void **state) {
  (void)state;
  static const uint32_t prefix[] = {0, 1, 2};
  for (int wrong = 0; wrong < 4; wrong++) {
    struct rsan_pending other = store;
    other.object += wrong == 1;
    other.point += wrong == 2;
    other.kind = wrong == 3 ? RSAN_KIND_RMW : other.kind;
    begin_three(3, prefix);
    sleep_on(1, &other);
    go(0, &store);
    go(1, &store);
    assert_int_equal(x.given_up, wrong ? RSAN_GIVEN_UP_DIVERGED : RSAN_GIVEN_UP_NOT);
  }
}

static void preemptions_are_bounded(void **state) {
  (void)state;
  static const uint32_t prefix[] = {0, 1, 2, 2};
  // Two in the prefix: from 0, from 1. Behind it none may come.
  begin_three(4, prefix);
  x.preemptions = 2;
  sleep_on(2, &store);
  go(0, &store);
  go(1, &store);
  assert_int_equal(go(2, &store), 2);
  assert_int_equal(x.preempted, 2);
  assert_int_equal(go(2, &store), 2); // it depends on itself
  assert_int_equal(x.preempted, 2);
  // Thread 2 sleeps, so another thread would have to run: that is a third preemption.
  begin_three(4, prefix);
  x.preemptions = 2;
  go(0, &store);
  go(1, &store);
  go(2, &store);
  rsan_sleep_add(&x.sleep, 2, &x.step[3].op);
  assert_int_equal(go(2, &store), RSAN_NO_THREAD);
  assert_int_equal(x.given_up, RSAN_GIVEN_UP_PREEMPTIONS);
  // The twin with one more.
  begin_three(4, prefix);
  x.preemptions = 3;
  go(0, &store);
  go(1, &store);
  go(2, &store);
  rsan_sleep_add(&x.sleep, 2, &x.step[3].op);
  assert_int_equal(go(2, &store), 0);
}

static void the_prefix_is_not_bounded(void **state) {
  (void)state;
  static const uint32_t prefix[] = {0, 1, 2, 0};
  begin_three(4, prefix);
  x.preemptions = 0;
  go(0, &store);
  go(1, &store);
  assert_int_equal(go(2, &store), 0);
  assert_int_equal(x.preempted, 3);
  assert_int_equal(go(0, &store), 0);
}

static void who_cannot_go_on_is_not_preempted(void **state) {
  (void)state;
  begin_three(0, NULL);
  x.preemptions = 0;
  assert_int_equal(go(0, &blocked), 1);
  assert_int_equal(go(1, &blocked), 2);
  assert_int_equal(x.preempted, 0);
}

static void who_yields_lets_others_go_first(void **state) {
  (void)state;
  begin_three(0, NULL);
  x.preemptions = 0;
  assert_int_equal(go(0, &yield), 0);
  assert_int_equal(go(0, &store), 1);
  assert_int_equal(go(1, &sleep), 1);
  assert_int_equal(go(1, &store), 0);
  assert_int_equal(x.preempted, 0); // it asked for that
  // Not those that sleep.
  begin_three(0, NULL);
  const struct rsan_op start_of = {.kind = RSAN_KIND_START};
  assert_int_equal(go(0, &yield), 0);
  rsan_sleep_add(&x.sleep, 1, &start_of);
  assert_int_equal(go(0, &store), 2);
  // Unless they all sleep.
  begin_three(0, NULL);
  assert_int_equal(go(0, &yield), 0);
  rsan_sleep_add(&x.sleep, 1, &start_of);
  rsan_sleep_add(&x.sleep, 2, &start_of);
  assert_int_equal(go(0, &store), 0);
}

// Another thread, which may end the loop, can go on.
static void begin_loop(void) {
  begin(0);
  x.loop = 3;
  start();
  add(0);
}

static void turns_of_a_loop_are_bounded(void **state) {
  (void)state;
  begin_loop();
  for (int i = 0; i < 3; i++)
    assert_int_equal(go(0, &load), 0);
  assert_int_equal(go(0, &load), RSAN_NO_THREAD);
  assert_int_equal(x.given_up, RSAN_GIVEN_UP_LOOP);
  assert_false(x.spins);
  assert_int_equal(x.count, 4); // what was not made is not noted
  // A step that writes is progress; so is a loop elsewhere.
  begin_loop();
  for (int i = 0; i < 10; i++) {
    assert_int_equal(go(0, &load), 0);
    assert_int_equal(go(0, &load_other), 0);
    assert_int_equal(go(0, &load), 0);
    assert_int_equal(go(0, &store), 0);
  }
  // Two points in one loop.
  for (int i = 0; i < 3; i++) {
    assert_int_equal(go(0, &load), 0);
    assert_int_equal(go(0, &load_other), 0);
  }
  assert_int_equal(go(0, &load), RSAN_NO_THREAD);
}

// Of a thread that is alone: how many turns of a loop that loads one of `objects` after the other.
static uint32_t turns_alone(uint64_t objects) {
  begin(0);
  x.loop = 3;
  start();
  for (uint32_t turns = 0;; turns++) {
    struct rsan_pending here = load;
    here.object += turns % objects;
    if (turns == 1000 || go(0, &here) != 0)
      return turns;
  }
}

static void a_loop_that_nobody_can_end_is_a_livelock(void **state) {
  (void)state;
  assert_int_equal(turns_alone(1), 3 + RSAN_EXPLORED_SPINS);
  assert_int_equal(x.given_up, RSAN_GIVEN_UP_LOOP);
  assert_true(x.spins);
  assert_int_equal(turns_alone(2), 2 * (3 + RSAN_EXPLORED_SPINS));
  assert_int_equal(turns_alone(1000), 1000); // it may be a list
  // Whose time will be over goes on without anybody's help.
  const struct rsan_pending waits = {
      .kind = RSAN_KIND_COND_WAIT, .object = 7, .until = RSAN_UNTIL_WOKEN, .timed = true};
  static const uint32_t prefix[] = {0, 1};
  begin(0);
  ask(2, prefix);
  x.loop = 3;
  start();
  add(0);
  assert_int_equal(go(0, &load), 1);
  assert_int_equal(go(1, &waits), 0);
  for (int i = 1; i < 3 + RSAN_EXPLORED_SPINS; i++)
    assert_int_equal(go(0, &load), 0);
  assert_int_equal(go(0, &load), RSAN_NO_THREAD);
  assert_int_equal(x.given_up, RSAN_GIVEN_UP_LOOP);
  assert_false(x.spins);
}

// More points in a loop than are counted: one of them is forgotten, and the others suffice.
static void a_loop_of_many_points_is_bounded(void **state) {
  (void)state;
  begin_loop();
  uint32_t turns = 0;
  for (bool goes_on = true; goes_on && turns < 100; turns++)
    for (uint64_t i = 0; i < RSAN_EXPLORED_POINTS && goes_on; i++) {
      struct rsan_pending here = load;
      here.point = 1000 + i;
      goes_on = go(0, &here) == 0;
    }
  assert_int_equal(turns, 4);
  assert_int_equal(x.given_up, RSAN_GIVEN_UP_LOOP);
}

static void steps_are_bounded(void **state) {
  (void)state;
  begin(0);
  start();
  uint32_t made = 1;
  while (go(0, &store) == 0)
    made++;
  assert_int_equal(x.given_up, RSAN_GIVEN_UP_STEPS);
  assert_int_equal(made, RSAN_EXPLORED_STEPS - 1);
  assert_int_equal(x.count, RSAN_EXPLORED_STEPS - 1);
  // Also of choices.
  rsan_explored_choose(&x, 2);
  assert_int_equal(x.count, RSAN_EXPLORED_STEPS - 1);
}

static void threads_are_bounded(void **state) {
  (void)state;
  begin(0);
  start();
  for (uint32_t i = 1; i < RSAN_DPOR_THREADS; i++)
    add(0);
  assert_int_equal(x.given_up, RSAN_GIVEN_UP_NOT);
  assert_int_equal(go(0, &store), 0);
  add(0);
  assert_int_equal(x.given_up, RSAN_GIVEN_UP_THREADS);
  assert_int_equal(go(0, &store), RSAN_NO_THREAD);
}

// The first reason is the one that is said.
static void a_run_is_given_up_once(void **state) {
  (void)state;
  begin_loop();
  x.loop = 1;
  for (uint32_t i = 2; i < RSAN_DPOR_THREADS; i++)
    add(0);
  go(0, &load);
  assert_int_equal(go(0, &load), RSAN_NO_THREAD);
  add(0);
  assert_int_equal(x.given_up, RSAN_GIVEN_UP_LOOP);
}

static void a_run_begins_anew(void **state) {
  (void)state;
  begin(0);
  x.loop = 1;
  start();
  add(0);
  go(0, &load);
  go(0, &load);
  assert_int_equal(x.given_up, RSAN_GIVEN_UP_LOOP);
  x.finished = x.stuck = true;
  x.expired = 3;
  rsan_explored_begin(&x);
  assert_int_equal(x.given_up, RSAN_GIVEN_UP_NOT);
  assert_int_equal(x.count, 0);
  assert_int_equal(x.prefix, 0);
  assert_int_equal(x.preempted, 0);
  assert_int_equal(x.expired, 0);
  assert_false(x.finished || x.stuck || x.spins || x.yielded);
  assert_false(x.thread[0].pends);
  assert_int_equal(x.thread[0].created, 0);
  assert_int_equal(x.names.count, 2); // names are of all runs
}

static void nobody_can_go_on(void **state) {
  (void)state;
  begin(0);
  start();
  assert_int_equal(go(0, &blocked), RSAN_NO_THREAD);
  assert_true(x.stuck);
  assert_int_equal(x.given_up, RSAN_GIVEN_UP_NOT);
}

#define TEST(name) cmocka_unit_test_teardown(name, end)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(who_cannot_proceed_is_a_divergence),
      TEST(a_thread_that_is_not_there_is_a_divergence),
      TEST(another_choice_is_a_divergence),
      TEST(another_sleeper_is_a_divergence),
      TEST(preemptions_are_bounded),
      TEST(the_prefix_is_not_bounded),
      TEST(who_cannot_go_on_is_not_preempted),
      TEST(who_yields_lets_others_go_first),
      TEST(turns_of_a_loop_are_bounded),
      TEST(a_loop_that_nobody_can_end_is_a_livelock),
      TEST(a_loop_of_many_points_is_bounded),
      TEST(steps_are_bounded),
      TEST(threads_are_bounded),
      TEST(a_run_is_given_up_once),
      TEST(a_run_begins_anew),
      TEST(nobody_can_go_on),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
