// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan/schedule/explored.h: one run of an exploration, a step at a time. Threads begin with a step,
// so thread 0's first one is number 1.

#include "unit.h"

#include "explored_run.h"

static void a_run_notes_its_steps(void **state) {
  (void)state;
  begin(0);
  assert_int_equal(go(0, &store), 0); // its start was the first step
  add(0);
  assert_true(x.thread[1].pends);
  assert_int_equal(x.thread[1].pending.kind, RSAN_KIND_START);
  assert_int_equal(go(0, &load_other), 0);
  assert_int_equal(x.count, 3);
  assert_int_equal(x.step[0].op.kind, RSAN_KIND_START);
  assert_int_equal(x.step[1].op.kind, RSAN_KIND_STORE);
  assert_int_equal(x.step[1].op.object, store.object);
  assert_int_equal(x.step[1].op.point, store.point);
  assert_true(x.step[1].op.writes);
  assert_int_equal(x.step[1].enabled, 1);
  assert_int_equal(x.step[2].op.kind, RSAN_KIND_LOAD);
  assert_false(x.step[2].op.writes);
  assert_int_equal(x.step[2].enabled, 3);
  assert_int_equal(x.given_up, RSAN_GIVEN_UP_NOT);
}

static void a_run_repeats_its_prefix(void **state) {
  (void)state;
  static const uint32_t prefix[] = {0, 2, 1, 2, 0};
  begin_three(5, prefix);
  assert_int_equal(go(0, &store), 2);
  assert_int_equal(go(2, &store), 1);
  assert_int_equal(go(1, &store), 2);
  assert_int_equal(go(2, &store), 0);
  // Then who ran goes on.
  assert_int_equal(go(0, &store), 0);
  assert_int_equal(go(0, &end_of_thread), 0);
  // Or the first one that can.
  assert_int_equal(ended(0), 1);
  for (uint32_t i = 0; i < 5; i++)
    assert_int_equal(x.step[i].thread, prefix[i]);
}

static void a_choice_is_repeated(void **state) {
  (void)state;
  static const uint32_t prefix[] = {0, 0, 0, 1};
  begin_three(4, prefix);
  x.step[2] = (struct rsan_dpor_step){.thread = 0, .choices = 3, .choice = 2};
  assert_int_equal(go(0, &store), 0);
  assert_int_equal(rsan_explored_choose(&x, 3), 2);
  assert_int_equal(x.step[2].choices, 3);
  assert_int_equal(x.step[2].choice, 2);
  assert_int_equal(x.step[2].thread, 0);
  assert_int_equal(go(0, &store), 1);
  // Beyond the prefix it is the first value.
  assert_int_equal(rsan_explored_choose(&x, 2), 0);
  assert_int_equal(x.step[4].choices, 2);
  assert_int_equal(x.step[4].thread, 1);
  assert_int_equal(x.given_up, RSAN_GIVEN_UP_NOT);
}

// As long as no more have failed than the bound says, each that could fail is a choice.
static void a_compare_exchange_may_fail(void **state) {
  (void)state;
  static const uint32_t prefix[] = {0, 0, 0, 0, 0};
  begin(0);
  start();
  go(0, &store);
  assert_false(rsan_schedule_fails(&s));
  assert_true(x.spared);
  assert_int_equal(x.count, 2);
  begin(0);
  ask(5, prefix);
  x.step[2] = (struct rsan_dpor_step){.choices = 2, .choice = 0};
  x.step[4] = (struct rsan_dpor_step){.choices = 2, .choice = 1};
  x.spurious = 1;
  start();
  go(0, &store);
  assert_false(rsan_schedule_fails(&s));
  go(0, &store);
  assert_true(rsan_schedule_fails(&s));
  assert_false(x.spared);
  assert_int_equal(x.count, 5);
  go(0, &store);
  assert_false(rsan_schedule_fails(&s));
  assert_true(x.spared);
  assert_int_equal(x.count, 6);
  rsan_explored_begin(&x);
  assert_false(x.spared);
  assert_int_equal(x.failed, 0);
}

// Thread 1 sleeps, about to store, before thread 2's first step.
static void begin_asleep(void) {
  static const uint32_t prefix[] = {0, 0, 1, 2};
  begin_three(4, prefix);
  sleep_on(1, &store);
  go(0, &store); // of the prefix, and no reason to wake
  go(0, &end_of_thread);
  assert_int_equal(go(1, &store), 2);
}

static void who_sleeps_is_not_chosen(void **state) {
  (void)state;
  begin_asleep();
  assert_int_equal(go(2, &load_other), 2);
  assert_int_equal(go(2, &end_of_thread), 2);
  assert_int_equal(ended(2), 0);
  assert_int_equal(ended(0), RSAN_NO_THREAD);
  assert_int_equal(x.given_up, RSAN_GIVEN_UP_ASLEEP);
}

static void a_step_that_depends_on_it_wakes_a_sleeper(void **state) {
  (void)state;
  begin_asleep();
  assert_int_equal(go(2, &load), 2);
  assert_int_equal(go(2, &end_of_thread), 2);
  assert_int_equal(ended(2), 0);
  assert_int_equal(ended(0), 1);
  assert_int_equal(x.given_up, RSAN_GIVEN_UP_NOT);
}

// An exploration with another bound begins with a run without a prefix.
static void sleepers_of_another_run_are_forgotten(void **state) {
  (void)state;
  begin_asleep();
  again();
  start();
  add(0);
  add(0);
  assert_int_equal(go(0, &end_of_thread), 0);
  assert_int_equal(ended(0), 1);
  assert_int_equal(x.sleep.sleeper - x.asleep, 0); // where all processes have it
}

// Two threads, each of which creates one.
static void names_do_not_depend_on_the_order_of_creation(void **state) {
  (void)state;
  static const uint32_t first[] = {0, 1, 2}, second[] = {0, 2, 1};
  begin_three(3, first);
  go(0, &store);
  add(1); // id 3
  go(1, &store);
  add(2); // id 4
  const uint32_t of_1 = x.number[3], of_2 = x.number[4];
  assert_int_not_equal(of_1, of_2);
  add(3);
  const uint32_t of_3 = x.number[5];
  again();
  ask(3, second);
  start();
  add(0);
  add(0);
  go(0, &store);
  add(2); // id 3
  assert_int_equal(go(2, &store), 1);
  add(1); // id 4
  assert_int_equal(x.number[3], of_2);
  assert_int_equal(x.number[4], of_1);
  add(4);
  assert_int_equal(x.number[5], of_3);
  assert_int_equal(x.names.count, 6);
  // A second one of the same creator has another name.
  add(1);
  assert_int_equal(x.number[6], 6);
}

// The schedule uses ids again; the steps name the thread.
static void an_id_that_is_used_again_is_another_thread(void **state) {
  (void)state;
  static const uint32_t prefix[] = {0, 1, 1, 0};
  begin(0);
  ask(4, prefix);
  start();
  add(0);
  go(0, &store);
  go(1, &end_of_thread);
  rsan_schedule_end(&s, 1);
  rsan_threads_release(&s.threads, 1);
  assert_int_equal(choose(), 0);
  assert_int_equal(add(0), 1);
  assert_int_equal(x.number[1], 2);
  assert_int_equal(go(0, &blocked), 1);
  assert_int_equal(x.step[4].thread, 2);
}

static void what_made_a_step_possible_is_noted(void **state) {
  (void)state;
  static const uint32_t prefix[] = {0, 0, 1, 1, 0};
  begin(0);
  ask(5, prefix);
  start();
  go(0, &store);
  add(0); // after the second step
  go(0, &store);
  go(1, &end_of_thread);
  assert_int_equal(x.step[2].op.after, 2);
  assert_int_equal(x.step[0].op.after, 0);
  rsan_schedule_end(&s, 1);
  assert_int_equal(choose(), 0);
  const struct rsan_pending join = {.kind = RSAN_KIND_JOIN, .object = 1, .until = RSAN_UNTIL_END};
  assert_int_equal(go(0, &join), 0);
  assert_int_equal(x.step[5].op.kind, RSAN_KIND_JOIN);
  assert_int_equal(x.step[5].op.object, 0); // it is no object that others touch
  assert_int_equal(x.step[5].op.after, 4);
  assert_int_equal(x.thread[0].pending.after, 4);
}

static void a_join_of_a_thread_that_runs_is_after_nothing_yet(void **state) {
  (void)state;
  begin(0);
  start();
  add(0);
  const struct rsan_pending join = {.kind = RSAN_KIND_JOIN, .object = 1, .until = RSAN_UNTIL_END};
  assert_int_equal(go(0, &join), 1);
  assert_true(x.thread[0].pends);
  assert_int_equal(x.thread[0].pending.after, 0);
  assert_int_equal(go(1, &end_of_thread), 1);
  assert_int_equal(ended(1), 0);
  assert_int_equal(x.step[3].op.after, 3);
}

static void who_sleeps_until_it_is_woken_is_about_to_do_nothing(void **state) {
  (void)state;
  static const uint32_t prefix[] = {0, 1, 0};
  begin(0);
  ask(3, prefix);
  start();
  add(0);
  go(0, &store);
  const struct rsan_pending waits = {
      .kind = RSAN_KIND_COND_WAIT, .object = 7, .until = RSAN_UNTIL_WOKEN};
  go(1, &waits);
  assert_false(x.thread[1].pends);
  assert_true(!x.thread[0].pends); // it runs
  rsan_schedule_wake_one(&s, 7);
  assert_true(x.thread[1].pends);
  assert_int_equal(x.thread[1].pending.after, 3);
  assert_int_equal(x.thread[1].pending.object, 0);
  assert_int_equal(go(0, &end_of_thread), 0);
  assert_int_equal(ended(0), 1);
  assert_int_equal(x.step[4].op.kind, RSAN_KIND_COND_WAIT);
  assert_int_equal(x.step[4].op.after, 3);
  assert_int_equal(x.step[4].op.object, 0);
}

// Which of two sleepers is woken is a choice.
static void whom_a_signal_wakes_is_a_choice(void **state) {
  (void)state;
  static const uint32_t prefix[] = {0, 1, 2, 0, 0};
  begin_three(5, prefix);
  x.step[4] = (struct rsan_dpor_step){.choices = 2, .choice = 1};
  const struct rsan_pending waits = {
      .kind = RSAN_KIND_COND_WAIT, .object = 7, .until = RSAN_UNTIL_WOKEN};
  go(0, &store);
  go(1, &waits);
  assert_int_equal(go(2, &waits), 0);
  rsan_schedule_wake_one(&s, 7);
  assert_true(x.thread[2].pends);
  assert_int_equal(x.thread[2].pending.after, 5); // the choice
  assert_false(x.thread[1].pends);
}

static void waits_whose_time_is_over_are_counted(void **state) {
  (void)state;
  struct rsan_pending waits = {
      .kind = RSAN_KIND_COND_WAIT, .object = 7, .until = RSAN_UNTIL_WOKEN, .timed = true};
  begin(0);
  start();
  assert_int_equal(go(0, &waits), 0);
  assert_int_equal(x.expired, 1);
  assert_int_equal(go(0, &store), 0);
  assert_int_equal(x.expired, 1);
  // The time of a loop is never over.
  waits = blocked;
  waits.kind = RSAN_KIND_SPIN;
  waits.timed = true;
  assert_int_equal(go(0, &waits), RSAN_NO_THREAD);
  assert_int_equal(x.expired, 1);
  assert_int_equal(x.given_up, RSAN_GIVEN_UP_LOOP);
  assert_true(x.spins);
}

static bool yes(void) {
  return true;
}

// What is no step may let it proceed: nothing is said of it.
static void who_may_be_woken_by_what_is_no_step_is_not_stuck(void **state) {
  (void)state;
  struct rsan_pending waits = blocked;
  for (int i = 0; i < 2; i++) {
    begin(0);
    s.may_be_woken = yes;
    start();
    waits.kind = i ? RSAN_KIND_SPIN : RSAN_KIND_SEM_WAIT;
    waits.timed = i;
    rsan_schedule_hand_in(&s, 0, &waits);
    assert_int_equal(rsan_schedule_choose(&s).outcome, RSAN_CHOSE_OUTSIDE);
    assert_false(x.stuck || x.spins);
    assert_int_equal(x.given_up, RSAN_GIVEN_UP_NOT);
  }
}

static void describe(void *described, struct rsan_op *op) {
  op->before.low = *(uint64_t *)described;
  op->writes = false;
}

static void a_step_is_described_as_it_is_made(void **state) {
  (void)state;
  uint64_t value = 5;
  struct rsan_pending exchange = {.kind = RSAN_KIND_RMW,
                                  .object = 1,
                                  .point = 9,
                                  .writes = true,
                                  .describe = describe,
                                  .described = &value};
  static const uint32_t prefix[] = {0, 1};
  begin(0);
  ask(2, prefix);
  start();
  add(0);
  assert_int_equal(go(0, &exchange), 1);
  assert_true(x.thread[0].pending.writes); // for all that is known before
  value = 6;
  go(1, &end_of_thread);
  assert_int_equal(ended(1), 0);
  assert_int_equal(x.step[3].op.before.low, 6);
  assert_false(x.step[3].op.unknown);
  assert_false(x.step[3].op.writes);
  exchange.describe = NULL;
  go(0, &exchange);
  assert_true(x.step[4].op.unknown);
  assert_true(x.step[4].op.writes);
}

static void what_waits_for_a_condition_blocks(void **state) {
  (void)state;
  static bool is_free;
  struct rsan_pending lock = blocked;
  lock.holds = holds;
  lock.argument = &is_free;
  lock.also = 4;
  is_free = false;
  begin(0);
  start();
  add(0);
  assert_int_equal(go(0, &lock), 1);
  assert_true(x.thread[0].pending.blocks);
  assert_int_equal(x.thread[0].pending.also, 4);
  const struct rsan_pending unlock = {.kind = RSAN_KIND_UNLOCK, .object = 3, .writes = true};
  assert_int_equal(go(1, &unlock), 1);
  is_free = true;
  assert_int_equal(x.step[2].enabled, 2);
  assert_int_equal(go(1, &end_of_thread), 1);
  assert_int_equal(x.step[3].enabled, 3);
  assert_int_equal(ended(1), 0);
  assert_true(x.step[4].op.blocks);
  assert_false(x.step[3].op.blocks);
  assert_int_equal(x.step[4].op.also, 4);
}

static void what_ends_the_program_is_noted(void **state) {
  (void)state;
  const struct rsan_pending end_of_all = {.kind = RSAN_KIND_EXIT, .object = 3, .ends = true};
  begin(0);
  start();
  assert_int_equal(go(0, &end_of_all), 0);
  assert_true(x.step[1].op.ends);
  assert_int_equal(x.step[1].op.object, 0);
  assert_false(x.step[0].op.ends);
}

#define TEST(name) cmocka_unit_test_teardown(name, end)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(a_run_notes_its_steps),
      TEST(a_run_repeats_its_prefix),
      TEST(a_choice_is_repeated),
      TEST(a_compare_exchange_may_fail),
      TEST(who_sleeps_is_not_chosen),
      TEST(a_step_that_depends_on_it_wakes_a_sleeper),
      TEST(sleepers_of_another_run_are_forgotten),
      TEST(names_do_not_depend_on_the_order_of_creation),
      TEST(an_id_that_is_used_again_is_another_thread),
      TEST(what_made_a_step_possible_is_noted),
      TEST(a_join_of_a_thread_that_runs_is_after_nothing_yet),
      TEST(who_sleeps_until_it_is_woken_is_about_to_do_nothing),
      TEST(whom_a_signal_wakes_is_a_choice),
      TEST(waits_whose_time_is_over_are_counted),
      TEST(who_may_be_woken_by_what_is_no_step_is_not_stuck),
      TEST(a_step_is_described_as_it_is_made),
      TEST(what_waits_for_a_condition_blocks),
      TEST(what_ends_the_program_is_noted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
