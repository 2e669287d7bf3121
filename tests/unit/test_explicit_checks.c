// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan/lc/explicit.h: the checks, with the value clocks that three of them ask.

#include "explicit_script.h"

static void load_misses_what_is_sc_visible_and_not_known(void **state) {
  (void)state;
  write(P, Y, 1, RSAN_RELAXED);
  write(P, X, 1, RSAN_RELAXED);
  read(Q, X, RSAN_ACQUIRE);
  assert_true(check(Q, Y, RSAN_CHECK_READ, 0));
  assert_true(check(Q, Y, RSAN_CHECK_WRITE, 0));
  assert_false(check(P, Y, RSAN_CHECK_READ, 0)); // P knows
  assert_false(check(R, Y, RSAN_CHECK_READ, 0)); // R sees nothing
}

static void store_asks_for_plain_writes(void **state) {
  (void)state;
  rmw(P, Y, 1, RSAN_RELAXED);
  write(P, X, 1, RSAN_RELAXED);
  read(Q, X, RSAN_ACQUIRE);
  assert_true(check(Q, Y, RSAN_CHECK_READ, 0));
  assert_false(check(Q, Y, RSAN_CHECK_WRITE, 0));
}

// P overwrites Y's 0 with 1, then 1 with 2, in the given ways; Q sees that by X, knows none of it.
static void overwrite_twice(enum rsan_access_kind first, enum rsan_access_kind second) {
  act(P, Y, first, 1, RSAN_RELAXED);
  act(P, Y, second, 2, RSAN_RELAXED);
  write(P, X, 1, RSAN_RELAXED);
  read(Q, X, RSAN_RELAXED);
}

static void wait_asks_for_the_value(void **state) {
  (void)state;
  overwrite_twice(RSAN_RMW, RSAN_WRITE);
  assert_true(check(Q, Y, RSAN_CHECK_WAIT, 0));
  assert_true(check(Q, Y, RSAN_CHECK_WAIT, 1));
  assert_false(check(Q, Y, RSAN_CHECK_WAIT, 2)); // is there, was not overwritten
  assert_false(check(Q, Y, RSAN_CHECK_WAIT, 3)); // was never there
}

static void bcas_asks_for_plain_overwriters(void **state) {
  (void)state;
  overwrite_twice(RSAN_RMW, RSAN_WRITE);
  assert_false(check(Q, Y, RSAN_CHECK_BCAS, 0)); // overwritten by an RMW
  assert_true(check(Q, Y, RSAN_CHECK_BCAS, 1));
  assert_false(check(Q, Y, RSAN_CHECK_BCAS, 2));
}

static void strong_cas_asks_for_plain_or_other(void **state) {
  (void)state;
  act(P, Y, RSAN_RMW, 1, RSAN_RELAXED);
  write(P, X, 1, RSAN_RELAXED);
  read(Q, X, RSAN_RELAXED);
  assert_false(check(Q, Y, RSAN_CHECK_STRONG_CAS, 0)); // 0, overwritten by an RMW: it would fail
  assert_true(check(Q, Y, RSAN_CHECK_STRONG_CAS, 1));  // 0 is another value: it would fail
  write(P, Y, 2, RSAN_RELAXED);
  write(P, X, 2, RSAN_RELAXED);
  read(Q, X, RSAN_RELAXED);
  assert_true(check(Q, Y, RSAN_CHECK_STRONG_CAS, 0)); // 1 is another value
}

static void strong_cas_is_broken_by_a_plain_overwriter(void **state) {
  (void)state;
  write(P, Y, 1, RSAN_RELAXED);
  write(P, X, 1, RSAN_RELAXED);
  read(Q, X, RSAN_RELAXED);
  assert_true(check(Q, Y, RSAN_CHECK_STRONG_CAS, 0));
  assert_false(check(R, Y, RSAN_CHECK_STRONG_CAS, 0));
}

// Value clocks take the version that was overwritten: one that is not above what is known is not
// missed. (Updated after the SC clocks they would be one too high: a false alarm.)
static void who_knows_the_overwriter_does_not_miss_it(void **state) {
  (void)state;
  write(P, Y, 1, RSAN_RELAXED);
  write(P, X, 1, RSAN_RELEASE);
  read(Q, X, RSAN_ACQUIRE);
  assert_false(check(Q, Y, RSAN_CHECK_WAIT, 0));
  assert_false(check(Q, Y, RSAN_CHECK_BCAS, 0));
  assert_false(check(Q, Y, RSAN_CHECK_STRONG_CAS, 0));
  assert_false(check(Q, Y, RSAN_CHECK_STRONG_CAS, 1));
}

static void value_views_flow_through_every_location(void **state) {
  (void)state;
  write(P, Y, 1, RSAN_RELAXED);
  rmw(P, X, 1, RSAN_RELAXED);
  read(Q, X, RSAN_RELAXED); // X has no value that Q asks for
  assert_true(check(Q, Y, RSAN_CHECK_WAIT, 0));
  assert_true(check(Q, Y, RSAN_CHECK_BCAS, 0));
}

static void values_of_different_locations_are_different(void **state) {
  (void)state;
  write(P, Y, 1, RSAN_RELAXED);
  write(P, X, 1, RSAN_RELAXED);
  read(Q, X, RSAN_RELAXED);
  assert_int_equal(next_value_id, 2); // (Y, 0) and (X, 0)
  assert_false(check(Q, X, RSAN_CHECK_WAIT, 0));
}

static void many_values_have_a_number_each(void **state) {
  (void)state;
  for (uint64_t i = 1; i <= 50; i++)
    write(P, Y, i, RSAN_RELAXED);
  write(P, Y, 1, RSAN_RELAXED); // overwrites 50, for the first time
  write(P, Y, 2, RSAN_RELAXED); // overwrites 1, again
  assert_int_equal(next_value_id, 51);
  write(P, X, 1, RSAN_RELAXED);
  read(Q, X, RSAN_RELAXED);
  for (uint64_t i = 0; i <= 50; i++)
    assert_true(check(Q, Y, RSAN_CHECK_WAIT, i));
  assert_false(check(Q, Y, RSAN_CHECK_WAIT, 51));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, script_begin, script_end)
static const struct CMUnitTest tests[] = {
    TEST(load_misses_what_is_sc_visible_and_not_known),
    TEST(store_asks_for_plain_writes),
    TEST(wait_asks_for_the_value),
    TEST(bcas_asks_for_plain_overwriters),
    TEST(strong_cas_asks_for_plain_or_other),
    TEST(strong_cas_is_broken_by_a_plain_overwriter),
    TEST(who_knows_the_overwriter_does_not_miss_it),
    TEST(value_views_flow_through_every_location),
    TEST(values_of_different_locations_are_different),
    TEST(many_values_have_a_number_each),
};

int main(void) {
  return cmocka_run_group_tests(tests, NULL, NULL);
}
