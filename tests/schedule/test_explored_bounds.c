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

// A sleeping thread is about to do something else than in the run in which it was put to sleep.
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
  static const uint32_t prefix[] = {0, 1};
  begin(0);
  ask(2, prefix);
  start();
  assert_int_equal(go(0, &store), RSAN_NO_THREAD);
  for (uint32_t i = 1; i <= RSAN_DPOR_THREADS; i++)
    add(0);
  assert_int_equal(x.given_up, RSAN_GIVEN_UP_DIVERGED);
}

static void a_run_begins_anew(void **state) {
  (void)state;
  begin(0);
  x.loop = 1;
  start();
  add(0);
  go(0, &load);
  assert_int_equal(go(0, &load), 1);
  assert_int_equal(go(1, &blocked), 0); // beyond the bound
  add(0);
  assert_int_equal(x.given_up, RSAN_GIVEN_UP_LOOP);
  assert_true(x.stopped && x.beyond.began);
  x.finished = x.stuck = x.spins = x.assumed = true;
  x.expired = 3;
  rsan_explored_begin(&x);
  assert_int_equal(x.given_up, RSAN_GIVEN_UP_NOT);
  assert_int_equal(x.count, 0);
  assert_int_equal(x.prefix, 0);
  assert_int_equal(x.preempted, 0);
  assert_int_equal(x.expired, 0);
  assert_int_equal(x.threads, 0);
  assert_false(x.finished || x.stuck || x.stopped || x.spins || x.yielded || x.assumed);
  assert_false(x.beyond.began);
  assert_false(x.thread[0].pends || x.thread[0].stopped);
  assert_int_equal(x.thread[0].created, 0);
  assert_int_equal(x.names.count, 2); // names are of all runs
}

// A run that is given up as whole, or as known, may have been another one than was asked for.
static void why_a_run_has_not_ended(void **state) {
  (void)state;
  static const struct {
    uint8_t given_up;
    bool stopped;
    enum rsan_given_up reason, if_it_has_diverged;
  } reasons[] = {
      {RSAN_GIVEN_UP_NOT, false, RSAN_GIVEN_UP_NOT, RSAN_GIVEN_UP_DIVERGED},
      {RSAN_GIVEN_UP_NOT, true, RSAN_GIVEN_UP_LOOP, RSAN_GIVEN_UP_DIVERGED},
      {RSAN_GIVEN_UP_LOOP, true, RSAN_GIVEN_UP_LOOP, RSAN_GIVEN_UP_DIVERGED},
      {RSAN_GIVEN_UP_ASSUMED, true, RSAN_GIVEN_UP_ASSUMED, RSAN_GIVEN_UP_DIVERGED},
      {RSAN_GIVEN_UP_ASLEEP, true, RSAN_GIVEN_UP_ASLEEP, RSAN_GIVEN_UP_DIVERGED},
      {RSAN_GIVEN_UP_STEPS, true, RSAN_GIVEN_UP_STEPS, RSAN_GIVEN_UP_STEPS},
      {RSAN_GIVEN_UP_PREEMPTIONS, true, RSAN_GIVEN_UP_PREEMPTIONS, RSAN_GIVEN_UP_PREEMPTIONS},
      {RSAN_GIVEN_UP_DIVERGED, false, RSAN_GIVEN_UP_DIVERGED, RSAN_GIVEN_UP_DIVERGED},
  };
  begin(0);
  for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
    x.given_up = reasons[i].given_up;
    x.stopped = reasons[i].stopped;
    assert_int_equal(rsan_explored_reason(&x, true), reasons[i].reason);
    assert_int_equal(rsan_explored_reason(&x, false), reasons[i].if_it_has_diverged);
  }
}

// Which runs are whole, for who explores.
static void what_comes_of_a_run(void **state) {
  (void)state;
  static const enum rsan_dpor_end ends[RSAN_GIVEN_UP_COUNT] = {
      [RSAN_GIVEN_UP_ASLEEP] = RSAN_DPOR_ASLEEP, [RSAN_GIVEN_UP_PREEMPTIONS] = RSAN_DPOR_CUT,
      [RSAN_GIVEN_UP_STEPS] = RSAN_DPOR_CUT,     [RSAN_GIVEN_UP_THREADS] = RSAN_DPOR_CUT,
      [RSAN_GIVEN_UP_DIVERGED] = RSAN_DPOR_CUT,  [RSAN_GIVEN_UP_LOOP] = RSAN_DPOR_ENDED,
      [RSAN_GIVEN_UP_ASSUMED] = RSAN_DPOR_ENDED,
  };
  struct rsan_dpor_step pending[RSAN_DPOR_THREADS];
  begin_three(0, NULL);
  go(0, &load);
  for (uint8_t why = 0; why < RSAN_GIVEN_UP_COUNT; why++) {
    x.given_up = why;
    const struct rsan_dpor_trace trace = rsan_explored_trace(&x, pending);
    assert_int_equal(trace.end, ends[why]);
    assert_int_equal(trace.count, 2);
    assert_ptr_equal(trace.step, x.step);
    assert_int_equal(trace.pending_count, 2); // thread 0 runs
    assert_int_equal(trace.pending[1].thread, 2);
    assert_int_equal(trace.pending[1].op.kind, RSAN_KIND_START);
    assert_int_equal(trace.pending[1].enabled, 0);
  }
}

// A prefix, and who sleeps before its last step, of a node.
static void a_run_is_asked_for(void **state) {
  (void)state;
  const struct rsan_dpor_step steps[] = {{{.object = 1, .writes = true}, 3, 0, 0, 0},
                                         {{.object = 1, .writes = true}, 2, 1, 0, 0}};
  const struct rsan_dpor_trace trace = {.step = steps, .count = 2};
  struct rsan_dpor d;
  rsan_dpor_init(&d, RSAN_DPOR_UNBOUNDED);
  struct rsan_dpor_node *node = rsan_dpor_next(&d);
  x.given_up = RSAN_GIVEN_UP_LOOP;
  rsan_explored_ask(&x, node);
  assert_int_equal(x.given_up, RSAN_GIVEN_UP_NOT);
  assert_int_equal(x.prefix, 0);
  assert_int_equal(x.sleepers, 0);
  assert_true(rsan_dpor_executed(&d, node, &trace));
  node = rsan_dpor_next(&d);
  rsan_explored_ask(&x, node);
  assert_int_equal(x.prefix, 1);
  assert_int_equal(x.step[0].thread, 1);
  assert_int_equal(x.sleepers, 1);
  assert_int_equal(x.sleeper[0].thread, 0);
  rsan_dpor_clear(&d);
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
      TEST(steps_are_bounded),
      TEST(threads_are_bounded),
      TEST(a_run_is_given_up_once),
      TEST(a_run_begins_anew),
      TEST(why_a_run_has_not_ended),
      TEST(what_comes_of_a_run),
      TEST(a_run_is_asked_for),
      TEST(nobody_can_go_on),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
