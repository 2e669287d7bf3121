// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan/base/clock.h: the verbs of a clock.

#include "unit.h"

#include "base/clock.h"

static struct rsan_clock a, b;

static int clear_clocks(void **state) {
  (void)state;
  rsan_clock_clear(&a);
  rsan_clock_clear(&b);
  return unit_check_memory();
}

static void an_empty_clock_is_zero_everywhere(void **state) {
  (void)state;
  assert_int_equal(rsan_clock_get(&a, 0), 0);
  assert_int_equal(rsan_clock_get(&a, UINT32_MAX), 0);
  assert_int_equal(rsan_host_live_blocks(), 0);
}

static void set_changes_one_entry(void **state) {
  (void)state;
  rsan_clock_set(&a, 3, 7);
  for (uint32_t i = 0; i < 100; i++)
    assert_int_equal(rsan_clock_get(&a, i), i == 3 ? 7 : 0);
}

static void growing_keeps_the_entries(void **state) {
  (void)state;
  for (uint32_t i = 0; i < 100; i++)
    rsan_clock_set(&a, i, i + 1);
  for (uint32_t i = 0; i < 100; i++)
    assert_int_equal(rsan_clock_get(&a, i), i + 1);
  assert_int_equal(rsan_clock_get(&a, 100), 0);
  assert_int_equal(rsan_host_live_blocks(), 1);
}

static void growing_far_leaves_zeros_between(void **state) {
  (void)state;
  rsan_clock_set(&a, 0, 1);
  rsan_clock_set(&a, 1000, 2);
  for (uint32_t i = 1; i < 1000; i++)
    assert_int_equal(rsan_clock_get(&a, i), 0);
  assert_int_equal(rsan_clock_get(&a, 0), 1);
  assert_int_equal(rsan_clock_get(&a, 1000), 2);
}

static void entries_have_64_bits(void **state) {
  (void)state;
  rsan_clock_set(&a, 0, UINT64_MAX - 1);
  rsan_clock_tick(&a, 0);
  assert_true(rsan_clock_get(&a, 0) == UINT64_MAX);
}

static void tick_adds_one_to_one_entry(void **state) {
  (void)state;
  rsan_clock_tick(&a, 9);
  rsan_clock_tick(&a, 9);
  assert_int_equal(rsan_clock_get(&a, 9), 2);
  assert_int_equal(rsan_clock_get(&a, 8), 0);
}

static void join_is_the_pointwise_maximum(void **state) {
  (void)state;
  rsan_clock_set(&a, 0, 5);
  rsan_clock_set(&a, 1, 1);
  rsan_clock_set(&b, 0, 2);
  rsan_clock_set(&b, 1, 4);
  rsan_clock_set(&b, 50, 6);
  rsan_clock_join(&a, &b);
  assert_int_equal(rsan_clock_get(&a, 0), 5);
  assert_int_equal(rsan_clock_get(&a, 1), 4);
  assert_int_equal(rsan_clock_get(&a, 50), 6);
  assert_int_equal(rsan_clock_get(&b, 0), 2); // the source stays
}

static void join_with_a_shorter_clock_keeps_the_rest(void **state) {
  (void)state;
  rsan_clock_set(&a, 50, 6);
  rsan_clock_set(&b, 0, 2);
  rsan_clock_join(&a, &b);
  assert_int_equal(rsan_clock_get(&a, 0), 2);
  assert_int_equal(rsan_clock_get(&a, 50), 6);
}

static void assign_also_lowers(void **state) {
  (void)state;
  rsan_clock_set(&a, 0, 5);
  rsan_clock_set(&a, 50, 6);
  rsan_clock_set(&b, 0, 2);
  rsan_clock_assign(&a, &b);
  assert_int_equal(rsan_clock_get(&a, 0), 2);
  assert_int_equal(rsan_clock_get(&a, 50), 0);
}

static void assign_copies_rather_than_shares(void **state) {
  (void)state;
  rsan_clock_set(&b, 20, 2);
  rsan_clock_assign(&a, &b);
  rsan_clock_set(&b, 20, 3);
  assert_int_equal(rsan_clock_get(&a, 20), 2);
}

static void a_cleared_clock_is_empty_again(void **state) {
  (void)state;
  rsan_clock_set(&a, 3, 7);
  rsan_clock_clear(&a);
  assert_int_equal(rsan_clock_get(&a, 3), 0);
  assert_int_equal(rsan_host_live_blocks(), 0);
  rsan_clock_set(&a, 1, 2);
  assert_int_equal(rsan_clock_get(&a, 3), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(an_empty_clock_is_zero_everywhere, clear_clocks),
      cmocka_unit_test_teardown(set_changes_one_entry, clear_clocks),
      cmocka_unit_test_teardown(growing_keeps_the_entries, clear_clocks),
      cmocka_unit_test_teardown(growing_far_leaves_zeros_between, clear_clocks),
      cmocka_unit_test_teardown(entries_have_64_bits, clear_clocks),
      cmocka_unit_test_teardown(tick_adds_one_to_one_entry, clear_clocks),
      cmocka_unit_test_teardown(join_is_the_pointwise_maximum, clear_clocks),
      cmocka_unit_test_teardown(join_with_a_shorter_clock_keeps_the_rest, clear_clocks),
      cmocka_unit_test_teardown(assign_also_lowers, clear_clocks),
      cmocka_unit_test_teardown(assign_copies_rather_than_shares, clear_clocks),
      cmocka_unit_test_teardown(a_cleared_clock_is_empty_again, clear_clocks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
