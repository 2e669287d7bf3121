// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan/base/thread_index.h: whose index a new thread gets, where its counting starts, and the
// floors that keep a forced reuse from inventing SC order and from hiding what must be joined.

#include "unit.h"

#include "base/thread_index.h"
#include "stamps.h"

static struct rsan_index_table table;
static struct rsan_counters counters;
static struct rsan_stamp c, vs; // the creator's views
static uint64_t epoch, sc_index;

static int begin(void **state) {
  (void)state;
  counters = (struct rsan_counters){0};
  c.thread = vs.thread = RSAN_MERGED; // nobody that a test is about
  return 0;
}

static int end(void **state) {
  (void)state;
  rsan_index_table_clear(&table);
  rsan_stamp_clear(&c);
  rsan_stamp_clear(&vs);
  return unit_check_memory();
}

static uint32_t take(void) {
  return rsan_index_take(&table, &c, &vs, &epoch, &sc_index, &counters);
}
static uint32_t take_without_creator(void) {
  return rsan_index_take(&table, NULL, NULL, &epoch, &sc_index, &counters);
}
static uint64_t sc_floor(uint32_t index) {
  return rsan_index_sc_floor(&table, index);
}
static uint64_t epoch_floor(uint32_t index) {
  return rsan_index_epoch_floor(&table, index);
}
static uint64_t count(enum rsan_stat stat) {
  return counters.count[stat];
}

// Takes every index below the soft bound; all of them run.
static void fill_up(void) {
  for (uint32_t i = table.count; i < RSAN_THREAD_INDEX_SOFT_MAX; i++)
    assert_int_equal(take_without_creator(), i);
}

static void threads_that_run_have_different_indices(void **state) {
  (void)state;
  for (uint32_t i = 0; i < 100; i++) {
    assert_int_equal(take(), i);
    assert_int_equal(epoch, 1);
    assert_int_equal(sc_index, 0);
  }
}

static void an_index_is_reused_when_the_creator_knows_the_end(void **state) {
  (void)state;
  take();
  take();
  rsan_index_give(&table, 1, 5, 3);
  stamp_set(&c, 1, 5);
  stamp_set(&vs, 1, 3);
  assert_int_equal(take(), 1);
  assert_int_equal(epoch, 6);
  assert_int_equal(sc_index, 3);
  assert_int_equal(count(RSAN_STAT_index_reuse), 1);
  assert_int_equal(count(RSAN_STAT_forced_reuse), 0);
}

static void not_when_happens_before_falls_short(void **state) {
  (void)state;
  take();
  rsan_index_give(&table, 0, 5, 3);
  stamp_set(&c, 0, 4);
  stamp_set(&vs, 0, 3);
  assert_int_equal(take(), 1);
  assert_int_equal(count(RSAN_STAT_index_reuse), 0);
}

static void not_when_the_sc_view_falls_short(void **state) {
  (void)state;
  take();
  rsan_index_give(&table, 0, 5, 3);
  stamp_set(&c, 0, 5);
  stamp_set(&vs, 0, 2);
  assert_int_equal(take(), 1);
}

static void not_while_the_thread_runs(void **state) {
  (void)state;
  take();
  stamp_set(&c, 0, 5);
  stamp_set(&vs, 0, 3);
  assert_int_equal(take(), 1);
}

static void not_without_a_creator(void **state) {
  (void)state;
  take();
  rsan_index_give(&table, 0, 0, 0);
  assert_int_equal(take_without_creator(), 1);
}

static void a_reused_index_is_taken_once(void **state) {
  (void)state;
  take();
  rsan_index_give(&table, 0, 1, 0);
  stamp_set(&c, 0, 1);
  assert_int_equal(take(), 0);
  assert_int_equal(take(), 1);
}

static void below_the_soft_bound_nothing_is_forced(void **state) {
  (void)state;
  for (uint32_t i = 0; i + 1 < RSAN_THREAD_INDEX_SOFT_MAX; i++)
    take_without_creator();
  rsan_index_give(&table, 7, 5, 3);
  assert_int_equal(take_without_creator(), RSAN_THREAD_INDEX_SOFT_MAX - 1);
  assert_int_equal(count(RSAN_STAT_forced_reuse), 0);
}

static void at_the_soft_bound_the_longest_finished_is_forced(void **state) {
  (void)state;
  fill_up();
  rsan_index_give(&table, 9, 5, 3);
  rsan_index_give(&table, 7, 6, 4);
  assert_int_equal(take_without_creator(), 9);
  assert_int_equal(epoch, 6);
  assert_int_equal(sc_index, 3);
  assert_int_equal(take_without_creator(), 7);
  assert_int_equal(epoch, 7);
  assert_int_equal(sc_index, 4);
  assert_int_equal(count(RSAN_STAT_forced_reuse), 2);
  assert_int_equal(count(RSAN_STAT_index_reuse), 0);
}

static void exact_reuse_comes_before_forced(void **state) {
  (void)state;
  fill_up();
  rsan_index_give(&table, 9, 5, 3);
  rsan_index_give(&table, 7, 6, 4);
  stamp_set(&c, 7, 6);
  stamp_set(&vs, 7, 4);
  assert_int_equal(take(), 7);
  assert_int_equal(count(RSAN_STAT_forced_reuse), 0);
  assert_int_equal(sc_floor(7), 0);
}

static void threads_alive_at_once_are_not_bounded(void **state) {
  (void)state;
  fill_up();
  assert_int_equal(take_without_creator(), RSAN_THREAD_INDEX_SOFT_MAX);
  assert_int_equal(epoch, 1);
  assert_int_equal(count(RSAN_STAT_forced_reuse), 0);
}

static void a_forced_index_has_the_old_end_as_its_floor(void **state) {
  (void)state;
  fill_up();
  rsan_index_give(&table, 9, 5, 3);
  assert_int_equal(sc_floor(9), 0);
  assert_int_equal(epoch_floor(9), 0);
  take_without_creator();
  assert_int_equal(sc_floor(9), 3);
  assert_int_equal(epoch_floor(9), 5);
  assert_int_equal(epoch, 6); // the first that is above it
  assert_int_equal(sc_floor(8), 0);
  assert_int_equal(epoch_floor(8), 0);
}

static void floors_rise_with_each_forced_reuse(void **state) {
  (void)state;
  fill_up();
  rsan_index_give(&table, 9, 5, 3);
  take_without_creator();
  rsan_index_give(&table, 9, 8, 30);
  take_without_creator();
  assert_int_equal(sc_floor(9), 30);
  assert_int_equal(epoch_floor(9), 8);
}

static void an_exact_reuse_leaves_the_floor(void **state) {
  (void)state;
  fill_up();
  rsan_index_give(&table, 9, 5, 3);
  take_without_creator();
  rsan_index_give(&table, 9, 8, 30);
  stamp_set(&c, 9, 8);
  stamp_set(&vs, 9, 30);
  assert_int_equal(take(), 9);
  assert_int_equal(sc_floor(9), 3);
  assert_int_equal(epoch_floor(9), 5);
}

static void indices_beyond_the_floors_are_not_forced(void **state) {
  (void)state;
  for (uint32_t i = 0; i < RSAN_THREAD_INDEX_FLOORS; i++)
    take_without_creator();
  uint32_t beyond = take_without_creator();
  assert_int_equal(beyond, RSAN_THREAD_INDEX_FLOORS);
  rsan_index_give(&table, beyond, 5, 3);
  assert_int_equal(take_without_creator(), beyond + 1); // not `beyond`
  rsan_index_give(&table, 2, 5, 3);
  assert_int_equal(take_without_creator(), 2);
  assert_int_equal(sc_floor(beyond), 0);
  assert_int_equal(epoch_floor(beyond), 0);
  stamp_set(&c, beyond, 5);
  stamp_set(&vs, beyond, 3);
  assert_int_equal(take(), beyond); // exact reuse works there
}

static void a_table_without_forced_reuse_has_no_floors(void **state) {
  (void)state;
  take();
  rsan_index_give(&table, 0, 5, 3);
  assert_null(table.floors);
  assert_int_equal(sc_floor(0), 0);
  assert_int_equal(sc_floor(UINT32_MAX), 0);
  assert_int_equal(epoch_floor(0), 0);
  assert_int_equal(epoch_floor(UINT32_MAX), 0);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
  const struct CMUnitTest tests[] = {
      TEST(threads_that_run_have_different_indices),
      TEST(an_index_is_reused_when_the_creator_knows_the_end),
      TEST(not_when_happens_before_falls_short),
      TEST(not_when_the_sc_view_falls_short),
      TEST(not_while_the_thread_runs),
      TEST(not_without_a_creator),
      TEST(a_reused_index_is_taken_once),
      TEST(below_the_soft_bound_nothing_is_forced),
      TEST(at_the_soft_bound_the_longest_finished_is_forced),
      TEST(exact_reuse_comes_before_forced),
      TEST(threads_alive_at_once_are_not_bounded),
      TEST(a_forced_index_has_the_old_end_as_its_floor),
      TEST(floors_rise_with_each_forced_reuse),
      TEST(an_exact_reuse_leaves_the_floor),
      TEST(indices_beyond_the_floors_are_not_forced),
      TEST(a_table_without_forced_reuse_has_no_floors),
  };
#undef TEST
  return cmocka_run_group_tests(tests, NULL, NULL);
}
