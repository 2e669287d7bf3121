// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan/schedule/turns.h: turns of loops that only read. rsan/schedule/beyond.h: what threads do
// that have made as many of them as they may.

#include "unit.h"

#include "schedule/beyond.h"
#include "schedule/threads.h"

static struct rsan_turns turns;
static struct rsan_beyond beyond;

static struct rsan_op load(uint64_t point, uint64_t object, uint64_t value) {
  return (struct rsan_op){
      .kind = RSAN_KIND_LOAD, .point = point, .object = object, .before = {value, 0}};
}

// The thread makes the step, `times`.
static void make(struct rsan_op op, uint32_t times) {
  for (uint32_t i = 0; i < times; i++)
    rsan_turns_make(&turns, &op);
}

static uint32_t made(struct rsan_op op) {
  return rsan_turns_made(&turns, &op);
}

static void who_finds_the_same_turns(void **state) {
  (void)state;
  rsan_turns_forget(&turns);
  assert_int_equal(made(load(1, 1, 0)), 0);
  assert_int_equal(made(load(0, 0, 0)), 0);
  make(load(1, 1, 7), 3);
  assert_int_equal(made(load(1, 1, 7)), 3);
  assert_int_equal(made(load(1, 1, 8)), 3); // what it will find is not asked
  assert_int_equal(made(load(2, 1, 7)), 0);
  assert_int_equal(rsan_turns_most(&turns), 3);
  make(load(2, 2, 0), 2);
  assert_int_equal(made(load(1, 1, 7)), 3);
  assert_int_equal(made(load(2, 2, 0)), 2);
  assert_int_equal(rsan_turns_most(&turns), 3);
}

static void who_writes_or_finds_something_new_gets_further(void **state) {
  (void)state;
  struct rsan_op write = load(3, 1, 7), end = {.kind = RSAN_KIND_END},
                 start = {.kind = RSAN_KIND_START}, join = {.kind = RSAN_KIND_JOIN},
                 last = {.kind = RSAN_KIND_EXIT, .ends = true};
  write.writes = true;
  const struct rsan_op further[] = {write, end, start, join, last};
  for (size_t i = 0; i < sizeof further / sizeof *further; i++) {
    make(load(1, 1, 7), 3);
    make(load(2, 2, 0), 2);
    make(further[i], 1);
    assert_int_equal(rsan_turns_most(&turns), 0);
  }
  make(load(1, 1, 7), 3);
  make(load(2, 2, 0), 2);
  make(load(2, 2, 1), 1);
  assert_int_equal(made(load(1, 1, 7)), 0);
  assert_int_equal(made(load(2, 2, 1)), 1);
  make(load(2, 2, 1), 1);
  assert_int_equal(made(load(2, 2, 1)), 2);
  // In the upper half of the value, too.
  struct rsan_op high = load(2, 2, 1);
  high.before.high = 1;
  make(high, 1);
  assert_int_equal(made(high), 1);
  // The twin: what neither has an object nor finds anything is a turn.
  const struct rsan_op yield = {.kind = RSAN_KIND_YIELD, .point = 9};
  make(yield, 4);
  assert_int_equal(made(yield), 4);
  assert_int_equal(made(high), 1);
}

static void who_goes_through_a_list_does_not_turn(void **state) {
  (void)state;
  rsan_turns_forget(&turns);
  for (uint64_t object = 1; object <= 30; object++) {
    assert_int_equal(made(load(1, object, 0)), 0);
    make(load(1, object, object), 1);
    assert_true(rsan_turns_most(&turns) <= 1);
  }
}

// It does if it goes through it again and again, whatever came before it.
static void who_goes_through_a_list_again_turns(void **state) {
  (void)state;
  for (uint64_t length = 1; length <= 9; length++)
    for (uint64_t before = 0; before <= 9; before++) {
      rsan_turns_forget(&turns);
      for (uint64_t object = 1; object <= before; object++)
        make(load(1, 100 + object, 7), 1);
      for (uint32_t turn = 0; turn < 20; turn++)
        for (uint64_t object = 1; object <= length; object++)
          make(load(1, object, object), 1);
      assert_in_range(rsan_turns_most(&turns), 10, 20);
    }
}

// Where it finds something new in it, it begins anew.
static void who_finds_something_new_in_a_list_gets_further(void **state) {
  (void)state;
  rsan_turns_forget(&turns);
  for (uint32_t turn = 0; turn < 20; turn++)
    for (uint64_t object = 1; object <= 3; object++)
      make(load(1, object, turn), 1);
  assert_int_equal(rsan_turns_most(&turns), 1);
}

// A read-modify-write that leaves what it finds is a turn, one that changes it is none.
static void who_leaves_what_it_finds_turns(void **state) {
  (void)state;
  struct rsan_op exchange = load(1, 1, 1);
  exchange.kind = RSAN_KIND_RMW;
  exchange.writes = exchange.leaves = true;
  rsan_turns_forget(&turns);
  make(exchange, 4);
  assert_int_equal(made(exchange), 4);
  exchange.leaves = false;
  make(exchange, 1);
  assert_int_equal(made(exchange), 0);
}

static void of_many_points_some_are_counted(void **state) {
  (void)state;
  rsan_turns_forget(&turns);
  for (uint32_t turn = 0; turn < 5; turn++)
    for (uint64_t point = 1; point <= RSAN_TURNS_POINTS + 3; point++)
      make(load(point, point, 0), 1);
  assert_int_equal(rsan_turns_most(&turns), 5);
  uint32_t whole = 0;
  for (uint64_t point = 1; point <= RSAN_TURNS_POINTS + 3; point++)
    whole += made(load(point, point, 0)) == 5;
  assert_int_equal(whole, RSAN_TURNS_POINTS - 1);
}

// -- beyond the bound --

static const uint64_t both = 0x22; // threads 1 and 5

// Each thread makes one step after another: thread 1 `first`, thread 5 `second` until it has made
// `most`, then `leaves`. How many steps.
static uint64_t go(struct rsan_op first, struct rsan_op second, uint64_t most,
                   struct rsan_op leaves) {
  uint64_t steps = 0, of_second = 0;
  rsan_beyond_begin(&beyond, both);
  for (;;) {
    const uint32_t number = rsan_beyond_next(&beyond, both);
    if (number == RSAN_NO_THREAD)
      return steps;
    assert_true(number == 1 || number == 5);
    const struct rsan_op op = number == 1 ? first : of_second++ == most ? leaves : second;
    if (!rsan_beyond_make(&beyond, &op))
      return steps;
    steps++;
  }
}

static void who_turns_for_ever_is_in_a_livelock(void **state) {
  (void)state;
  const struct rsan_op one = load(1, 1, 0), other = load(2, 2, 0);
  struct rsan_op store = load(3, 2, 0);
  store.writes = true;
  assert_int_equal(go(one, other, UINT64_MAX, store), 2 * (RSAN_BEYOND_TURNS + 1));
  assert_true(rsan_beyond_is_livelock(&beyond));
  // Unless one of them gets out, at once or late.
  assert_in_range(go(one, other, 3, store), 3, 100);
  assert_false(rsan_beyond_is_livelock(&beyond));
  assert_in_range(go(one, other, RSAN_BEYOND_TURNS, store), RSAN_BEYOND_TURNS,
                  2 * RSAN_BEYOND_TURNS + 2);
  assert_false(rsan_beyond_is_livelock(&beyond));
}

// It finds another object each time.
static void who_finds_something_else_each_time_may_get_out(void **state) {
  (void)state;
  uint64_t steps = 0;
  rsan_beyond_begin(&beyond, 1);
  while (rsan_beyond_next(&beyond, 1) == 0) {
    const struct rsan_op next = load(1, ++steps, 0);
    assert_true(rsan_beyond_make(&beyond, &next));
  }
  assert_int_equal(steps, RSAN_BEYOND_STEPS);
  assert_false(rsan_beyond_is_livelock(&beyond));
}

static void who_waits_for_another_one_has_got_out(void **state) {
  (void)state;
  const struct rsan_op one = load(1, 1, 0);
  rsan_beyond_begin(&beyond, both);
  assert_int_equal(rsan_beyond_next(&beyond, both), 1);
  assert_true(rsan_beyond_make(&beyond, &one));
  assert_int_equal(rsan_beyond_next(&beyond, both & ~(uint64_t)2), RSAN_NO_THREAD);
  assert_false(rsan_beyond_is_livelock(&beyond));
  // Also if it has turned so often before.
  rsan_beyond_begin(&beyond, 1);
  for (uint32_t i = 0; i <= RSAN_BEYOND_TURNS; i++) {
    assert_int_equal(rsan_beyond_next(&beyond, 1), 0);
    assert_true(rsan_beyond_make(&beyond, &one));
  }
  assert_true(rsan_beyond_is_livelock(&beyond));
  assert_int_equal(rsan_beyond_next(&beyond, 0), RSAN_NO_THREAD);
  assert_false(rsan_beyond_is_livelock(&beyond));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(who_finds_the_same_turns),
      cmocka_unit_test(who_writes_or_finds_something_new_gets_further),
      cmocka_unit_test(who_goes_through_a_list_does_not_turn),
      cmocka_unit_test(who_goes_through_a_list_again_turns),
      cmocka_unit_test(who_finds_something_new_in_a_list_gets_further),
      cmocka_unit_test(who_leaves_what_it_finds_turns),
      cmocka_unit_test(of_many_points_some_are_counted),
      cmocka_unit_test(who_turns_for_ever_is_in_a_livelock),
      cmocka_unit_test(who_finds_something_else_each_time_may_get_out),
      cmocka_unit_test(who_waits_for_another_one_has_got_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
