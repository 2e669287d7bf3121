// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan/weak/: what a host meets that lets accesses depart. Which accesses may, and what follows, is
// compared with the rule by tests/weak.

#include "scenario.h"

static struct rsan_options bounded = {.weak = true};
static struct rsan_options exact = {.weak = true, .history = RSAN_HISTORY_EXACT};
static struct rsan_options x86 = {.weak = true, .targets = RSAN_TARGET_X86};
static struct rsan_options off = {.weak = false};

#define WITH(test, options) {#test " (" #options ")", test, scenario_begin, scenario_end, &options}
#define WITH_BOTH(test)     WITH(test, bounded), WITH(test, exact)

static struct rsan_candidate candidates[RSAN_CANDIDATES];

static struct rsan_access a_load(const struct scenario *s, int x) {
  return (struct rsan_access){.kind = RSAN_READ,
                              .check = RSAN_CHECK_READ,
                              .order = RSAN_RELAXED,
                              .size = 8,
                              .seen = s->memory[x]};
}

static uint32_t ask(struct scenario *s, int t, int x) {
  struct rsan_access access = a_load(s, x);
  return rsan_weak_candidates(s->threads[t], s->locations[x], &access, candidates);
}

static bool depart(struct scenario *s, int t, int x, uint32_t which) {
  struct rsan_access access = a_load(s, x);
  return rsan_weak_depart(s->threads[t], s->locations[x], &access, &candidates[which],
                          &s->violation);
}

// T2 comes after so many writes of X by T1 in every sequentially consistent run.
static void write_x(struct scenario *s, uint32_t times) {
  for (uint32_t i = 1; i <= times; i++)
    store(s, T1, X, i, RSAN_RELAXED);
  store(s, T1, Y, times, RSAN_RELAXED);
  load(s, T2, Y, RSAN_RELAXED);
}

static void a_load_is_given_what_was_overwritten(void **state) {
  struct scenario *s = *state;
  write_x(s, 2);
  assert_int_equal(ask(s, T2, X), 2);
  for (uint32_t i = 0; i < 2; i++) {
    assert_int_equal(candidates[i].version, i);
    assert_int_equal(candidates[i].newest, 2);
    assert_int_equal(candidates[i].value.low, i);
    assert_int_equal(candidates[i].site, SITE_OF_STEP_1 + i);
    assert_int_equal(candidates[i].owner, OWNER_OF_T1);
    assert_int_equal(candidates[i].kind, RSAN_READ);
  }
}

static void without_the_option_nothing_is_given(void **state) {
  struct scenario *s = *state;
  write_x(s, 2);
  assert_int_equal(ask(s, T2, X), 0);
}

static void who_has_read_the_newest_version_is_given_nothing(void **state) {
  struct scenario *s = *state;
  write_x(s, 2);
  load(s, T2, X, RSAN_RELAXED);
  assert_int_equal(ask(s, T2, X), 0);
}

static void the_first_departure_violates_and_nothing_after_it(void **state) {
  struct scenario *s = *state;
  write_x(s, 2);
  ask(s, T2, X);
  assert_true(depart(s, T2, X, 1));
  assert_int_equal(s->violation.missed, 1); // the first one that may be missed
  assert_int_equal(ask(s, T2, X), 1);       // version 1, which it knows now
  assert_false(depart(s, T2, X, 0));
  assert_int_equal(stat(s, RSAN_STAT_violations), 1);
  load(s, T3, Y, RSAN_RELAXED);
  assert_false(load(s, T3, X, RSAN_RELAXED));
  assert_int_equal(stat(s, RSAN_STAT_violations), 1);
}

static void without_a_departure_loads_violate(void **state) {
  struct scenario *s = *state;
  write_x(s, 2);
  load(s, T3, Y, RSAN_RELAXED);
  assert_true(load(s, T3, X, RSAN_RELAXED));
}

// Store buffering between T3 and T4, which x86-TSO shows as well.
static bool store_buffering_violates(struct scenario *s) {
  store(s, T3, Z, 1, RSAN_RELAXED);
  load(s, T3, Y, RSAN_RELAXED);
  store(s, T4, Y, 2, RSAN_RELAXED);
  return load(s, T4, Z, RSAN_RELAXED);
}

static void no_machine_shows_anything_after_a_departure(void **state) {
  struct scenario *s = *state;
  store(s, T1, X, 1, RSAN_RELAXED);
  load(s, T1, Y, RSAN_RELAXED);
  store(s, T2, Y, 1, RSAN_RELAXED);
  assert_int_equal(ask(s, T2, X), 1);
  assert_true(depart(s, T2, X, 0));
  assert_false(store_buffering_violates(s));
}

static void a_machine_shows_it_without_a_departure(void **state) {
  struct scenario *s = *state;
  assert_true(store_buffering_violates(s));
}

static void so_many_versions_are_given_and_no_more(void **state) {
  struct scenario *s = *state;
  write_x(s, RSAN_WEAK_VERSIONS);
  assert_int_equal(ask(s, T2, X), RSAN_WEAK_VERSIONS);
  assert_int_equal(candidates[0].version, 0);
  write_x(s, 5);
  assert_int_equal(ask(s, T2, X), RSAN_WEAK_VERSIONS);
  assert_int_equal(candidates[0].version, 5);
}

static void a_value_that_no_access_left_has_no_versions_before_it(void **state) {
  struct scenario *s = *state;
  write_x(s, 2);
  scenario_poke(s, X, 7);
  assert_int_equal(ask(s, T2, X), 0);
  store(s, T1, X, 8, RSAN_RELAXED);
  store(s, T1, Y, 1, RSAN_RELAXED);
  load(s, T2, Y, RSAN_RELAXED);
  assert_int_equal(ask(s, T2, X), 1);
  assert_int_equal(candidates[0].value.low, 7);
}

static void a_withdrawn_location_has_none(void **state) {
  struct scenario *s = *state;
  write_x(s, 2);
  rsan_location_withdraw(s->engine, s->locations[X], 16);
  assert_int_equal(ask(s, T2, X), 0);
  store(s, T1, X, 3, RSAN_RELAXED);
  assert_int_equal(ask(s, T2, X), 0);
}

// Its own write may be forgotten as soon as it is made, as there is nobody who does not know it.
static void the_only_thread_is_given_nothing(void **state) {
  struct scenario *s = *state;
  for (int t = T2; t <= T4; t++)
    rsan_thread_finish(s->threads[t]);
  for (uint32_t i = 0; i < 64; i++) {
    struct rsan_thread *child = rsan_thread_create(s->engine, s->threads[T1], OWNER_OF_T1 + T2);
    scenario_replace_thread(s, T2, child);
    add(s, T2, X, 1, RSAN_RELAXED);
    rsan_thread_finish(child);
    rsan_thread_join(s->threads[T1], child);
    add(s, T1, X, 1, RSAN_RELAXED);
    assert_int_equal(ask(s, T1, X), 0);
  }
  assert_true(stat(s, RSAN_STAT_collections) > 0);
}

// Else the version before would be lost.
static void no_write_repeats_another(void **state) {
  struct scenario *s = *state;
  write_x(s, 20);
  assert_int_equal(rsan_store_repeats(s->threads[T1], s->locations[X], RSAN_RELAXED, 1, 20, 21),
                   RSAN_NOT_REPEATED);
}

static void without_the_option_a_write_repeats_another(void **state) {
  struct scenario *s = *state;
  if (s->threads[T1]->reference) // a VERIFY build: none does
    skip();
  write_x(s, 20);
  store(s, T1, X, 21, RSAN_RELAXED);
  store(s, T1, X, 22, RSAN_RELAXED);
  assert_int_not_equal(rsan_store_repeats(s->threads[T1], s->locations[X], RSAN_RELAXED, 1, 22, 23),
                       RSAN_NOT_REPEATED);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      WITH_BOTH(a_load_is_given_what_was_overwritten),
      WITH(without_the_option_nothing_is_given, off),
      WITH_BOTH(who_has_read_the_newest_version_is_given_nothing),
      WITH_BOTH(the_first_departure_violates_and_nothing_after_it),
      WITH_BOTH(without_a_departure_loads_violate),
      WITH(no_machine_shows_anything_after_a_departure, x86),
      WITH(a_machine_shows_it_without_a_departure, x86),
      WITH_BOTH(so_many_versions_are_given_and_no_more),
      WITH_BOTH(a_value_that_no_access_left_has_no_versions_before_it),
      WITH_BOTH(a_withdrawn_location_has_none),
      WITH_BOTH(the_only_thread_is_given_nothing),
      WITH_BOTH(no_write_repeats_another),
      WITH(without_the_option_a_write_repeats_another, off),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
