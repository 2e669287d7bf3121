// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a thread stops in a run of an exploration, for it has made as many turns of a loop that
// only reads as it may (rsan/schedule/explored.h), and what comes after that.

#include "unit.h"

#include "explored_run.h"

static const struct rsan_pending waits_in_time = {.kind = RSAN_KIND_COND_WAIT,
                                                  .object = 7,
                                                  .point = 18,
                                                  .until = RSAN_UNTIL_WOKEN,
                                                  .timed = true};
static const struct rsan_pending assumes = {
    .kind = RSAN_KIND_ASSUME, .object = 8, .point = 19, .until = RSAN_UNTIL_WOKEN};

// Thread 0 may make three turns; thread 1 is about to start.
static void begin_loop(void) {
  begin(0);
  x.loop = 3;
  start();
  add(0);
}

// The same after three turns: thread 1 has been chosen.
static void begin_stopped(void) {
  begin_loop();
  for (int i = 0; i < 3; i++)
    assert_int_equal(go(0, &load), 0);
  assert_int_equal(go(0, &load), 1);
}

static void who_has_turned_too_often_stops(void **state) {
  (void)state;
  struct rsan_dpor_step pending[RSAN_DPOR_THREADS];
  begin_stopped();
  assert_true(x.stopped);
  assert_false(x.thread[0].pends);
  assert_int_equal(x.given_up, RSAN_GIVEN_UP_NOT);
  assert_int_equal(x.count, 5);
  assert_int_equal(x.step[4].enabled, 2);
  assert_int_equal(rsan_explored_trace(&x, pending).pending_count, 0);
  // Whatever others do from now on: it is stopped where it is in each of the orders.
  assert_int_equal(go(1, &store), 1);
  assert_int_equal(x.step[5].enabled, 2);
  assert_true(x.thread[0].stopped);
  // It is no preemption.
  assert_int_equal(x.preempted, 0);
}

static void who_gets_further_goes_on(void **state) {
  (void)state;
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
  assert_int_equal(go(0, &load), 1);
  assert_true(x.stopped);
}

static void describe_value(void *described, struct rsan_op *op) {
  op->before.low = *(const uint64_t *)described;
}

// (As the step finds it when it is made, and not when it is handed in.)
static void who_finds_another_value_goes_on(void **state) {
  (void)state;
  uint64_t value = 0;
  struct rsan_pending changing = load;
  changing.describe = describe_value;
  changing.described = &value;
  begin_loop();
  for (; value < 20; value++)
    assert_int_equal(go(0, &changing), 0);
  assert_int_equal(go(0, &changing), 0);
  assert_int_equal(go(0, &changing), 0);
  assert_int_equal(go(0, &changing), 0);
  assert_int_equal(go(0, &changing), 1);
}

// A wait that blocks, in a loop around it, is stopped; who waits for another one's end, or to be
// woken, is not: others get further then.
static void what_is_no_turn(void **state) {
  (void)state;
  static bool yes = true;
  struct rsan_pending waits = blocked;
  waits.kind = RSAN_KIND_SPIN;
  waits.argument = &yes;
  waits.writes = false;
  begin_loop();
  for (int i = 0; i < 3; i++)
    assert_int_equal(go(0, &waits), 0);
  assert_int_equal(go(0, &waits), 1);
  assert_true(x.stopped);

  static const uint32_t prefix[] = {0, 1};
  const struct rsan_pending sleeps = {
      .kind = RSAN_KIND_BARRIER, .object = 7, .point = 20, .until = RSAN_UNTIL_WOKEN};
  begin(0);
  ask(2, prefix);
  x.loop = 3;
  start();
  add(0);
  assert_int_equal(go(0, &load), 1);
  for (int i = 0; i < 10; i++) {
    assert_int_equal(go(1, &load), 1);
    assert_int_equal(go(1, &sleeps), 0);
    rsan_schedule_wake_all(&s, 7);
    assert_int_equal(go(0, &yield), 0);
    assert_int_equal(go(0, &store), 1);
  }
  assert_false(x.stopped);
}

static void beyond_the_bound_nothing_is_noted(void **state) {
  (void)state;
  begin_stopped();
  assert_int_equal(go(1, &blocked), 0);
  assert_true(x.beyond.began);
  assert_int_equal(go(0, &load_other), 0);
  assert_int_equal(x.count, 5);
  assert_int_equal(x.last, 1);
  // It gets out of its loop, and the run ends before it does.
  assert_int_equal(go(0, &store), RSAN_NO_THREAD);
  assert_int_equal(x.given_up, RSAN_GIVEN_UP_LOOP);
  assert_int_equal(x.count, 5);
  assert_false(x.spins || x.stuck);
  assert_true(x.thread[1].pends);
  assert_false(x.thread[0].pends);
}

static void all_who_turn_for_ever_are_in_a_livelock(void **state) {
  (void)state;
  begin_stopped();
  uint32_t next = go(1, &load_other);
  for (int i = 0; i < 2; i++)
    next = go(1, &load_other);
  assert_int_equal(next, 1);
  uint32_t turns = 0;
  for (next = go(1, &load_other); next != RSAN_NO_THREAD; turns++)
    next = go(next, next == 0 ? &load : &load_other);
  assert_int_equal(turns, 2 * (RSAN_BEYOND_TURNS + 1));
  assert_int_equal(x.given_up, RSAN_GIVEN_UP_LOOP);
  assert_true(x.spins);
  assert_int_equal(x.count, 8);
  // A wait that is recognised, and does not end, is no way out.
  struct rsan_pending waits = blocked;
  waits.timed = true;
  begin_stopped();
  for (next = go(1, &waits); next == 0;)
    next = go(0, &load);
  assert_true(x.spins);
  begin_stopped();
  assert_int_equal(go(1, &waits), 0);
  assert_int_equal(go(0, &store), RSAN_NO_THREAD);
  assert_false(x.spins);
}

// What nobody may do unnoted ends the run.
static void what_is_done_beyond_the_bound_ends_the_run(void **state) {
  (void)state;
  for (int what = 0; what < 4; what++) {
    begin_stopped();
    assert_int_equal(go(1, what == 3 ? &waits_in_time : &blocked), what == 3 ? 1 : 0);
    if (what == 3) { // its time is over first; then it waits again, for another object
      assert_int_equal(x.expired, 1);
      assert_int_equal(go(1, &assumes), 0);
    }
    assert_true(x.beyond.began);
    if (what == 0)
      assert_int_equal(rsan_explored_choose(&x, 2), 0);
    else if (what == 1)
      add(0);
    else if (what == 2)
      rsan_explored_assumed(&x);
    else
      rsan_schedule_wake_all(&s, assumes.object);
    assert_int_equal(go(0, &load), RSAN_NO_THREAD);
    assert_int_equal(x.given_up, RSAN_GIVEN_UP_LOOP);
    assert_false(x.spins || x.assumed);
    assert_int_equal(x.names.count, 2);
    assert_int_equal(x.count, what == 3 ? 6 : 5);
  }
}

static void who_is_outside_comes_back_first(void **state) {
  (void)state;
  begin_stopped();
  rsan_schedule_leave(&s, 1);
  assert_int_equal(rsan_schedule_choose(&s).outcome, RSAN_CHOSE_OUTSIDE);
  assert_false(x.beyond.began);
  assert_int_equal(go(1, &end_of_thread), 1);
  assert_int_equal(ended(1), 0);
  assert_true(x.beyond.began);
}

// Then it does not matter how the loop would end.
static void what_does_not_hold_is_said_first(void **state) {
  (void)state;
  begin_stopped();
  rsan_explored_assumed(&x);
  assert_int_equal(go(1, &assumes), RSAN_NO_THREAD);
  assert_int_equal(x.given_up, RSAN_GIVEN_UP_ASSUMED);
  assert_false(x.beyond.began);
}

static void who_stops_in_the_prefix_diverges(void **state) {
  (void)state;
  static const uint32_t prefix[] = {0, 0, 0, 0, 0, 0};
  begin(0);
  ask(6, prefix);
  x.loop = 3;
  start();
  add(0);
  for (int i = 0; i < 3; i++)
    assert_int_equal(go(0, &load), 0);
  assert_int_equal(go(0, &load), RSAN_NO_THREAD);
  assert_int_equal(x.given_up, RSAN_GIVEN_UP_DIVERGED);
  // Nor does it go beyond the bound there.
  static const uint32_t with_another[] = {0, 0, 0, 0, 1, 0};
  begin(0);
  ask(6, with_another);
  x.loop = 3;
  start();
  add(0);
  for (int i = 0; i < 3; i++)
    assert_int_equal(go(0, &load), 0);
  assert_int_equal(go(0, &load), 1);
  assert_int_equal(go(1, &blocked), RSAN_NO_THREAD);
  assert_int_equal(x.given_up, RSAN_GIVEN_UP_DIVERGED);
}

// Thread 0 has waited for the end of thread 1, which has for that of thread 2 if it `joins`: how
// many turns may it make?
static uint32_t turns_of_the_last_one(bool joins) {
  static const uint32_t prefix[] = {0, 1, 2, 2};
  const struct rsan_pending join_1 = {.kind = RSAN_KIND_JOIN, .object = 1, .until = RSAN_UNTIL_END},
                            join_2 = {.kind = RSAN_KIND_JOIN, .object = 2, .until = RSAN_UNTIL_END};
  begin_three(4, prefix);
  x.loop = 3;
  go(0, &join_1);
  assert_int_equal(go(1, joins ? &join_2 : &load_other), 2);
  assert_int_equal(go(2, &end_of_thread), 2);
  assert_int_equal(ended(2), 1);
  assert_int_equal(go(1, &end_of_thread), 1);
  assert_int_equal(ended(1), 0);
  for (uint32_t turns = 0;; turns++)
    if (go(0, &load) != 0 || x.stopped)
      return turns;
}

static void who_knows_to_be_alone_may_turn_more_often(void **state) {
  (void)state;
  assert_int_equal(turns_of_the_last_one(false), 3);
  assert_int_equal(turns_of_the_last_one(true), 3 + RSAN_EXPLORED_ALONE);
}

#define TEST(name) cmocka_unit_test_teardown(name, end)

// -- of loops that write --

static void who_writes_too_often_at_one_place_stops(void **state) {
  (void)state;
  struct rsan_pending elsewhere = store, called = store;
  elsewhere.point++;
  called.calls = 5;
  begin(0);
  x.unroll = 2;
  start();
  add(0);
  // Another program point, and other calls, are another place.
  for (int i = 0; i < 2; i++) {
    assert_int_equal(go(0, &store), 0);
    assert_int_equal(go(0, &elsewhere), 0);
    assert_int_equal(go(0, &called), 0);
    assert_int_equal(go(0, &load), 0);
  }
  assert_int_equal(go(0, &load), 0);
  assert_false(x.unrolled || x.stopped);
  assert_int_equal(go(0, &store), 1);
  assert_true(x.unrolled && x.thread[0].stopped && !x.stopped && !x.thread[0].pends);
  // When nobody else can go on the run has come to its end; that it writes is not tried.
  assert_int_equal(go(1, &blocked), RSAN_NO_THREAD);
  assert_false(x.beyond.began);
  assert_int_equal(rsan_explored_reason(&x, true), RSAN_GIVEN_UP_LOOP);
}

static void without_a_bound_one_may_write(void **state) {
  (void)state;
  begin(0);
  start();
  add(0);
  for (int i = 0; i < 1000; i++)
    assert_int_equal(go(0, &store), 0);
  assert_false(x.unrolled);
  assert_int_equal(rsan_explored_reason(&x, true), RSAN_GIVEN_UP_NOT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(who_has_turned_too_often_stops),
      TEST(who_gets_further_goes_on),
      TEST(who_finds_another_value_goes_on),
      TEST(what_is_no_turn),
      TEST(beyond_the_bound_nothing_is_noted),
      TEST(all_who_turn_for_ever_are_in_a_livelock),
      TEST(what_is_done_beyond_the_bound_ends_the_run),
      TEST(who_is_outside_comes_back_first),
      TEST(what_does_not_hold_is_said_first),
      TEST(who_stops_in_the_prefix_diverges),
      TEST(who_knows_to_be_alone_may_turn_more_often),
      cmocka_unit_test(who_writes_too_often_at_one_place_stops),
      cmocka_unit_test(without_a_bound_one_may_write),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
