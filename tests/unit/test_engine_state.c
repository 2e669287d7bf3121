// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan/engine.h: the witness, values that no analysed write left, withdrawn locations, statistics.

#include "dies.h"
#include "scenario.h"
#include "stamps.h"
#include "steps/reference.h"

// T1 writes X; T2 sees that by Y and knows nothing of it.
static struct scenario *seen_and_unknown(void **state) {
  struct scenario *s = *state;
  store(s, T1, X, 1, RSAN_RELAXED);
  store(s, T1, Y, 1, RSAN_RELAXED);
  load(s, T2, Y, RSAN_RELAXED);
  return s;
}

// --- the witness ---

static void the_witness_names_the_write(void **state) {
  struct scenario *s = *state;
  scenario_poke(s, X, 7);
  store(s, T3, X, 8, RSAN_SEQ_CST); // step 1
  load(s, T2, X, RSAN_RELAXED);
  add(s, T1, X, 1, RSAN_RELEASE); // step 3
  store(s, T1, Y, 1, RSAN_RELAXED);
  load(s, T2, Y, RSAN_RELAXED);
  assert_true(load(s, T2, X, RSAN_RELAXED));
  assert_int_equal(s->violation.check, RSAN_CHECK_READ);
  assert_int_equal(s->violation.known, 1);
  assert_int_equal(s->violation.missed, 2);
  assert_true(rsan_value_equal(s->violation.stale, (struct rsan_value){8, 0}));
  assert_true(rsan_value_equal(s->violation.missed_value, (struct rsan_value){9, 0}));
  assert_int_equal(s->violation.site, SITE_OF_STEP_1 + 2);
  assert_int_equal(s->violation.owner, OWNER_OF_T1);
  assert_int_equal(s->violation.order, RSAN_RELEASE);
  assert_false(s->violation.plain);
}

// The order is the program's, not that of the access it is analysed as.
static void the_witness_has_the_order_as_written(void **state) {
  struct scenario *s = *state;
  store(s, T1, X, 1, RSAN_SEQ_CST);
  load(s, T1, Y, RSAN_RELAXED);
  store(s, T2, Y, 1, RSAN_RELAXED);
  assert_true(load(s, T2, X, RSAN_RELAXED));
  assert_int_equal(s->violation.order, RSAN_SEQ_CST);
  assert_true(s->violation.plain);
  assert_true(rsan_value_equal(s->violation.stale, (struct rsan_value){0, 0}));
}

static void the_owner_can_be_set_later(void **state) {
  struct scenario *s = *state;
  rsan_thread_set_owner(s->threads[T1], 77);
  seen_and_unknown(state);
  assert_true(load(s, T2, X, RSAN_RELAXED));
  assert_int_equal(s->violation.owner, 77);
}

// --- values that no analysed write left ---

static void everyone_knows_the_first_value(void **state) {
  struct scenario *s = *state;
  scenario_poke(s, X, 5);
  assert_false(load(s, T1, X, RSAN_RELAXED));
  assert_int_equal(stat(s, RSAN_STAT_foreign_writes), 0);
}

static void everyone_knows_a_foreign_value(void **state) {
  struct scenario *s = seen_and_unknown(state);
  scenario_poke(s, X, 5);
  assert_false(load(s, T2, X, RSAN_RELAXED));
  assert_int_equal(stat(s, RSAN_STAT_foreign_writes), 1);
}

static void a_foreign_write_of_the_same_value_is_not_noticed(void **state) {
  struct scenario *s = seen_and_unknown(state);
  scenario_poke(s, X, 1);
  assert_true(load(s, T2, X, RSAN_RELAXED));
  assert_int_equal(stat(s, RSAN_STAT_foreign_writes), 0);
}

static void a_blocked_arrival_notices_a_foreign_value(void **state) {
  struct scenario *s = seen_and_unknown(state);
  scenario_poke(s, X, 5);
  assert_false(wait_for(s, T2, X, 0, RSAN_ACQUIRE));
  assert_int_equal(stat(s, RSAN_STAT_foreign_writes), 1);
}

static void after_a_foreign_value_writes_count_again(void **state) {
  struct scenario *s = *state;
  store(s, T1, X, 1, RSAN_RELAXED);
  scenario_poke(s, X, 5);
  store(s, T1, X, 6, RSAN_RELAXED);
  store(s, T1, Y, 1, RSAN_RELAXED);
  load(s, T2, Y, RSAN_RELAXED);
  assert_true(load(s, T2, X, RSAN_RELAXED));
  assert_int_equal(s->violation.missed, 1);
  assert_true(rsan_value_equal(s->violation.stale, (struct rsan_value){5, 0}));
}

// T1 releases Z through X; `foreign`: something else writes X before T2 acquires.
static bool release_through_x(struct scenario *s, bool foreign) {
  store(s, T1, Z, 1, RSAN_RELAXED);
  store(s, T1, X, 1, RSAN_RELEASE);
  if (foreign)
    scenario_poke(s, X, 5);
  load(s, T2, X, RSAN_ACQUIRE);
  store(s, T1, Y, 1, RSAN_RELAXED);
  load(s, T2, Y, RSAN_RELAXED);
  return load(s, T2, Z, RSAN_RELAXED);
}

static void happens_before_survives_a_foreign_write(void **state) {
  assert_false(release_through_x(*state, true));
}
static void happens_before_without_one(void **state) {
  assert_false(release_through_x(*state, false));
}

// --- withdrawn locations ---

static void withdraw(struct scenario *s, int x, uint32_t size) {
  rsan_location_withdraw(s->engine, s->locations[x], size);
}

static void nothing_is_flagged_on_a_withdrawn_location(void **state) {
  struct scenario *s = seen_and_unknown(state);
  withdraw(s, X, 8);
  assert_false(load(s, T2, X, RSAN_RELAXED));
  assert_false(store(s, T2, X, 4, RSAN_RELAXED));
  assert_false(wait_for(s, T2, X, 0, RSAN_RELAXED));
}

// SB with Y withdrawn: the order of the accesses to Y is not known.
static bool store_buffering(struct scenario *s, bool withdrawn) {
  if (withdrawn)
    withdraw(s, Y, 8);
  store(s, T1, X, 1, RSAN_RELAXED);
  load(s, T1, Y, RSAN_RELAXED);
  store(s, T2, Y, 1, RSAN_RELAXED);
  return load(s, T2, X, RSAN_RELAXED);
}

static void nothing_rests_on_a_withdrawn_location(void **state) {
  assert_false(store_buffering(*state, true));
}
static void its_twin_that_is_not_withdrawn(void **state) {
  assert_true(store_buffering(*state, false));
}

// All withdrawn locations synchronise with each other: over-approximated, so that no alarm is
// false. T1's write of X is known to T2 through Y and Z, whatever the orders.
static bool known_through_y_and_z(struct scenario *s, bool withdrawn) {
  load(s, T1, Y, RSAN_RELAXED); // both are in use
  load(s, T2, Z, RSAN_RELAXED);
  if (withdrawn) {
    withdraw(s, Y, 8);
    withdraw(s, Z, 8);
  }
  store(s, T1, X, 1, RSAN_RELAXED);
  store(s, T1, Y, 1, RSAN_RELAXED);
  load(s, T2, Z, RSAN_RELAXED);
  struct rsan_sync *mutex = rsan_sync_new(s->engine); // an SC order, so that X can be missed
  rsan_stamp_release(&mutex->vs, rsan_sc_release(&s->threads[T1]->sc));
  if (mutex->reference)
    for (unsigned family = 0; family < RSAN_FAMILIES; family++)
      rsan_clock_join(&mutex->reference->clocks.sc[family],
                      &s->threads[T1]->reference->clocks.sc[family]);
  rsan_acquire(s->threads[T2], mutex, RSAN_CERTAIN);
  rsan_sync_free(mutex);
  return load(s, T2, X, RSAN_RELAXED);
}

static void withdrawn_locations_over_approximate(void **state) {
  assert_false(known_through_y_and_z(*state, true));
}
static void others_do_not(void **state) {
  assert_true(known_through_y_and_z(*state, false));
}

// What the location had released before it was withdrawn is not lost.
static void withdrawal_keeps_what_was_released(void **state) {
  struct scenario *s = *state;
  store(s, T1, X, 1, RSAN_RELAXED);
  store(s, T1, Y, 1, RSAN_RELEASE);
  withdraw(s, Y, 8);
  load(s, T2, Y, RSAN_RELAXED); // the over-approximation acquires
  store(s, T1, Z, 1, RSAN_RELAXED);
  load(s, T2, Z, RSAN_RELAXED);
  assert_false(load(s, T2, X, RSAN_RELAXED));
}

static void what_was_not_released_stays_unknown(void **state) {
  struct scenario *s = *state;
  store(s, T1, Y, 1, RSAN_RELEASE);
  store(s, T1, X, 1, RSAN_RELAXED); // after the release
  withdraw(s, Y, 8);
  load(s, T2, Y, RSAN_RELAXED);
  store(s, T1, Z, 1, RSAN_RELAXED);
  load(s, T2, Z, RSAN_RELAXED);
  assert_true(load(s, T2, X, RSAN_RELAXED));
}

static bool orders_x_at_a_withdrawn_location(struct scenario *s) {
  withdraw(s, Z, 8);
  store(s, T1, X, 1, RSAN_RELAXED);
  load(s, T1, Z, RSAN_SEQ_CST);
  fence(s, T2, RSAN_SEQ_CST);
  load(s, T1, Y, RSAN_RELAXED);
  store(s, T2, Y, 1, RSAN_RELAXED);
  return !load(s, T2, X, RSAN_RELAXED);
}

static void a_seqcst_access_fences_on_a_withdrawn_location_too(void **state) {
  assert_true(orders_x_at_a_withdrawn_location(*state));
}
// An event of S that nothing connects with the fence.
static void its_twin_without_fences(void **state) {
  assert_false(orders_x_at_a_withdrawn_location(*state));
}

static void a_withdrawn_location_counts_once_and_widens(void **state) {
  struct scenario *s = *state;
  assert_int_equal(s->locations[X]->size, 8);
  withdraw(s, X, 4);
  assert_int_equal(s->locations[X]->size, 8);
  withdraw(s, X, 16);
  assert_int_equal(s->locations[X]->size, 16);
  assert_int_equal(stat(s, RSAN_STAT_mixed_locations), 1);
}

static void a_withdrawn_location_is_not_started_over(void **state) {
  struct scenario *s = *state;
  store(s, T1, X, 1, RSAN_RELAXED);
  withdraw(s, X, 8);
  scenario_poke(s, X, 5);
  load(s, T2, X, RSAN_RELAXED);
  wait_for(s, T2, X, 0, RSAN_RELAXED);
  assert_int_equal(stat(s, RSAN_STAT_foreign_writes), 0);
}

// T1 has seen T3's write of X and does not know it; T2 meets T1 at Y.
static bool seen_through_y(struct scenario *s, bool withdrawn) {
  if (withdrawn)
    withdraw(s, Y, 8);
  store(s, T3, X, 1, RSAN_RELAXED);
  store(s, T3, Z, 1, RSAN_RELAXED);
  load(s, T1, Z, RSAN_RELAXED);
  store(s, T1, Y, 1, RSAN_RELAXED);
  load(s, T2, Y, RSAN_RELAXED);
  return load(s, T2, X, RSAN_RELAXED);
}

static void withdrawn_locations_pass_no_sc_order(void **state) {
  assert_false(seen_through_y(*state, true));
}
static void others_pass_sc_order(void **state) {
  assert_true(seen_through_y(*state, false));
}

// --- statistics ---

static void violations_are_counted(void **state) {
  struct scenario *s = seen_and_unknown(state);
  assert_int_equal(stat(s, RSAN_STAT_violations), 0);
  load(s, T2, X, RSAN_RELAXED);
  assert_int_equal(stat(s, RSAN_STAT_violations), 1);
  load(s, T2, X, RSAN_RELAXED);
  assert_int_equal(stat(s, RSAN_STAT_violations), 1);
}

static void locations_are_counted(void **state) {
  struct scenario *s = *state;
  assert_int_equal(stat(s, RSAN_STAT_locations), SCENARIO_LOCATIONS);
  rsan_location_free(s->engine, rsan_location_new(s->engine, 0, 1));
  assert_int_equal(stat(s, RSAN_STAT_locations), SCENARIO_LOCATIONS + 1);
}

static void nothing_is_counted_on_an_ordinary_run(void **state) {
  struct scenario *s = *state;
  store(s, T1, X, 1, RSAN_RELEASE);
  load(s, T2, X, RSAN_ACQUIRE);
  assert_int_equal(stat(s, RSAN_STAT_violations), 0);
  assert_int_equal(stat(s, RSAN_STAT_foreign_writes), 0);
  assert_int_equal(stat(s, RSAN_STAT_mixed_locations), 0);
  assert_int_equal(stat(s, RSAN_STAT_index_reuse), 0);
  assert_int_equal(stat(s, RSAN_STAT_forced_reuse), 0);
}

#ifdef RSAN_VERIFY
static void load_x(void *scenario) {
  load(scenario, T2, X, RSAN_RELAXED);
}

// A compact clock that is wrong is found out by the explicit ones at the next check.
static void wrong_clocks_are_found_out(void **state) {
  struct scenario *s = *state;
  store(s, T1, X, 1, RSAN_RELAXED);
  assert_false(dies(load_x, s));
  stamp_set(&s->threads[T2]->sc.vs, s->threads[T1]->hb.index, 1);
  assert_true(dies(load_x, s));
}
#endif

#define TEST(name) RSAN_EVERY_ENGINE(name)
static const struct CMUnitTest tests[] = {
    TEST(the_witness_names_the_write),
    TEST(the_witness_has_the_order_as_written),
    TEST(the_owner_can_be_set_later),
    TEST(everyone_knows_the_first_value),
    TEST(everyone_knows_a_foreign_value),
    TEST(a_foreign_write_of_the_same_value_is_not_noticed),
    TEST(a_blocked_arrival_notices_a_foreign_value),
    TEST(after_a_foreign_value_writes_count_again),
    TEST(happens_before_survives_a_foreign_write),
    TEST(happens_before_without_one),
    TEST(nothing_is_flagged_on_a_withdrawn_location),
    TEST(nothing_rests_on_a_withdrawn_location),
    TEST(its_twin_that_is_not_withdrawn),
    TEST(withdrawn_locations_over_approximate),
    TEST(others_do_not),
    TEST(withdrawal_keeps_what_was_released),
    TEST(what_was_not_released_stays_unknown),
    RSAN_EVERY_FENCE(a_seqcst_access_fences_on_a_withdrawn_location_too),
    TEST(its_twin_without_fences),
    TEST(a_withdrawn_location_counts_once_and_widens),
    TEST(a_withdrawn_location_is_not_started_over),
    TEST(withdrawn_locations_pass_no_sc_order),
    TEST(others_pass_sc_order),
    TEST(violations_are_counted),
    TEST(locations_are_counted),
    TEST(nothing_is_counted_on_an_ordinary_run),
#ifdef RSAN_VERIFY
    RSAN_ENGINE(wrong_clocks_are_found_out, bounded),
    RSAN_ENGINE(wrong_clocks_are_found_out, exact),
#endif
};

int main(void) {
  return cmocka_run_group_tests(tests, NULL, NULL);
}
