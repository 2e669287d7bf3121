// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan/memory/budget.h: where many locations are large, each keeps a part of its history. That
// costs violations, which are missed and never invented.

#include "scenario.h"

// So many are large that each has a share of the smallest budget, or of less.
enum { VERSIONS = 4, BYTES = VERSIONS * (64 + 24), LONG = 1000, LARGE = 100 };
enum { MANY = LARGE * RSAN_LARGE_ENTRIES };

static struct rsan_options with_budget = {.location_budget = BYTES, .large_locations = LARGE};
static struct rsan_options exact_with_budget = {
    .history = RSAN_HISTORY_EXACT, .location_budget = BYTES, .large_locations = LARGE};
static struct rsan_options smallest = {.location_budget = 1, .large_locations = LARGE};

static uint32_t large(const struct scenario *s) {
  return atomic_load(&s->engine->budget.large);
}

// As if so many other locations were large.
static void there_are_others(struct scenario *s, uint32_t count) {
  atomic_store(&s->engine->budget.large, count);
}

// T1 and T2 write X by turns, in new epochs.
static void write_by_turns(struct scenario *s, int times) {
  for (int i = 0; i < times; i++)
    assert_false(add(s, i % 2 ? T2 : T1, X, 1, RSAN_ACQ_REL));
}

// T3 has seen a write of T1 after one of X, and may miss that, and `later` ones.
static bool may_miss_the_first(struct scenario *s, int later) {
  store(s, T1, X, 1, RSAN_RELAXED);
  store(s, T1, Y, 1, RSAN_RELAXED);
  assert_false(load(s, T3, Y, RSAN_RELAXED));
  write_by_turns(s, later);
  return load(s, T3, X, RSAN_RELAXED);
}

static void few_locations_keep_all(void **state) {
  there_are_others(*state, LARGE - 1);
  assert_true(may_miss_the_first(*state, 2 * VERSIONS));
  assert_int_equal(stat(*state, RSAN_STAT_cut_histories), 0);
}

static void of_many_each_forgets(void **state) {
  there_are_others(*state, MANY);
  assert_false(may_miss_the_first(*state, 2 * VERSIONS));
  assert_true(stat(*state, RSAN_STAT_cut_histories) > 0);
  assert_true(stat(*state, RSAN_STAT_dropped_versions) > 0);
  assert_true(stat(*state, RSAN_STAT_merged_records) > 0);
}

static void of_many_each_keeps_the_last(void **state) {
  struct scenario *s = *state;
  there_are_others(s, MANY);
  write_by_turns(s, LONG);
  assert_true(stat(s, RSAN_STAT_cut_histories) > 0);
  assert_true(may_miss_the_first(s, 0));
}

static void of_many_each_is_small(void **state) {
  struct scenario *s = *state;
  write_by_turns(s, LONG);
  const struct rsan_history *history = &s->locations[X]->history;
  const struct rsan_records *records = &s->locations[X]->compact.records;
  assert_true(history->room > VERSIONS);
  there_are_others(s, MANY);
  write_by_turns(s, LONG);
  assert_true(history->count + records->count <= 2 * VERSIONS);
  assert_true(history->room <= 2 * VERSIONS);
  assert_true(records->room < 4 * VERSIONS);
}

// Twice as many as may be large: each has half of what those may have.
static void of_some_more_each_has_its_share(void **state) {
  const uint32_t share = RSAN_LARGE_ENTRIES / 2;
  struct scenario *s = *state;
  const struct rsan_history *history = &s->locations[X]->history;
  const struct rsan_records *records = &s->locations[X]->compact.records;
  there_are_others(s, 2 * LARGE - 1);
  assert_true(may_miss_the_first(s, 2 * VERSIONS));
  for (int i = 0; i < LONG; i++) {
    write_by_turns(s, 1);
    assert_true(history->count + records->count <= share);
  }
  there_are_others(s, MANY);
  write_by_turns(s, 2 * VERSIONS);
  assert_true(history->count + records->count <= 2 * VERSIONS);
}

static void something_is_always_kept(void **state) {
  struct scenario *s = *state;
  there_are_others(s, MANY);
  write_by_turns(s, LONG);
  assert_true(s->locations[X]->history.count > 0);
  assert_true(may_miss_the_first(s, 0));
}

static void large_ones_are_counted_until_they_go(void **state) {
  struct scenario *s = *state;
  write_by_turns(s, 1);
  assert_int_equal(large(s), 0);
  write_by_turns(s, LONG);
  assert_int_equal(large(s), 1);
  rsan_location_free(s->engine, s->locations[X]);
  s->locations[X] = rsan_location_new(s->engine, 0, 8);
  assert_int_equal(large(s), 0);
}

static void exact_history_has_no_budget(void **state) {
  there_are_others(*state, MANY);
  assert_true(may_miss_the_first(*state, LONG));
}

int main(void) {
#define WITH(test, options) {#test, test, scenario_begin, scenario_end, &options}
  const struct CMUnitTest tests[] = {
      WITH(few_locations_keep_all, with_budget),
      WITH(of_many_each_forgets, with_budget),
      WITH(of_many_each_keeps_the_last, with_budget),
      WITH(of_many_each_is_small, with_budget),
      WITH(of_some_more_each_has_its_share, with_budget),
      WITH(something_is_always_kept, smallest),
      WITH(large_ones_are_counted_until_they_go, with_budget),
      WITH(exact_history_has_no_budget, exact_with_budget),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
