// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan/engine.h: the checks of docs/internals/MODEL.md section 1 in whole executions, and seq_cst
// (section 4). Each test that is flagged has its twin, which differs in one order, one fence or one
// value.

#include "scenario.h"

// Store buffering: each thread writes one location and reads the other. `between`: a fence or
// RSAN_RELAXED for none.
static bool store_buffering(struct scenario *s, enum rsan_order store_order,
                            enum rsan_order load_order, enum rsan_order between) {
  assert_false(store(s, T1, X, 1, store_order));
  fence(s, T1, between);
  assert_false(load(s, T1, Y, load_order));
  assert_false(store(s, T2, Y, 1, store_order));
  fence(s, T2, between);
  return load(s, T2, X, load_order);
}

static void sb_release_acquire(void **state) {
  assert_true(store_buffering(*state, RSAN_RELEASE, RSAN_ACQUIRE, RSAN_RELAXED));
}
static void sb_relaxed(void **state) {
  assert_true(store_buffering(*state, RSAN_RELAXED, RSAN_RELAXED, RSAN_RELAXED));
}
static void sb_acqrel_fences(void **state) {
  assert_true(store_buffering(*state, RSAN_RELAXED, RSAN_RELAXED, RSAN_ACQ_REL));
}
static void sb_sc_fences(void **state) {
  assert_false(store_buffering(*state, RSAN_RELAXED, RSAN_RELAXED, RSAN_SEQ_CST));
}
static void sb_seqcst(void **state) {
  assert_false(store_buffering(*state, RSAN_SEQ_CST, RSAN_SEQ_CST, RSAN_RELAXED));
}
static void sb_seqcst_stores_relaxed_loads(void **state) {
  assert_true(store_buffering(*state, RSAN_SEQ_CST, RSAN_RELAXED, RSAN_RELAXED));
}
// The order of the loads says nothing of the stores.
static void sb_relaxed_stores_seqcst_loads(void **state) {
  assert_true(store_buffering(*state, RSAN_RELAXED, RSAN_SEQ_CST, RSAN_RELAXED));
}
// With seq_cst=fence a fence stands before a seq_cst access: here between the store and the load.
static void sb_seqcst_loads_as_fences(void **state) {
  assert_false(store_buffering(*state, RSAN_RELAXED, RSAN_SEQ_CST, RSAN_RELAXED));
}

static void sb_with_one_fence(void **state) {
  struct scenario *s = *state;
  store(s, T1, X, 1, RSAN_RELAXED);
  load(s, T1, Y, RSAN_RELAXED);
  store(s, T2, Y, 1, RSAN_RELAXED);
  fence(s, T2, RSAN_SEQ_CST);
  assert_true(load(s, T2, X, RSAN_RELAXED));
}

// The fences' location takes part in happens-before alone: an order of two fences that nothing
// else shows is not observable. The twin shows it.
static bool two_fences(struct scenario *s, bool observed) {
  store(s, T1, X, 1, RSAN_RELAXED);
  load(s, T1, Y, RSAN_RELAXED);
  store(s, T2, Y, 1, RSAN_RELAXED);
  if (observed)
    store(s, T2, Z, 1, RSAN_RELAXED);
  fence(s, T2, RSAN_SEQ_CST);
  fence(s, T3, RSAN_SEQ_CST);
  if (observed)
    load(s, T3, Z, RSAN_RELAXED);
  return load(s, T3, X, RSAN_RELAXED);
}

static void fences_alone_make_no_sc_order(void **state) {
  assert_false(two_fences(*state, false));
}
static void a_read_makes_sc_order(void **state) {
  assert_true(two_fences(*state, true));
}

// Message passing: T2 has read Y, then reads X.
static bool message_passing(struct scenario *s, enum rsan_order store_order,
                            enum rsan_order load_order) {
  store(s, T1, X, 1, RSAN_RELAXED);
  store(s, T1, Y, 1, store_order);
  load(s, T2, Y, load_order);
  return load(s, T2, X, RSAN_RELAXED);
}

static void mp_release_acquire(void **state) {
  assert_false(message_passing(*state, RSAN_RELEASE, RSAN_ACQUIRE));
}
static void mp_release_consume(void **state) {
  assert_false(message_passing(*state, RSAN_RELEASE, RSAN_CONSUME));
}
static void mp_release_relaxed(void **state) {
  assert_true(message_passing(*state, RSAN_RELEASE, RSAN_RELAXED));
}
static void mp_relaxed_acquire(void **state) {
  assert_true(message_passing(*state, RSAN_RELAXED, RSAN_ACQUIRE));
}
static void mp_seqcst(void **state) {
  assert_false(message_passing(*state, RSAN_SEQ_CST, RSAN_SEQ_CST));
}
// Beside its fence a seq_cst access acquires or releases.
static void mp_seqcst_acquire(void **state) {
  assert_false(message_passing(*state, RSAN_SEQ_CST, RSAN_ACQUIRE));
}
static void mp_seqcst_relaxed(void **state) {
  assert_true(message_passing(*state, RSAN_SEQ_CST, RSAN_RELAXED));
}
static void mp_release_seqcst(void **state) {
  assert_false(message_passing(*state, RSAN_RELEASE, RSAN_SEQ_CST));
}
static void mp_relaxed_seqcst(void **state) {
  assert_true(message_passing(*state, RSAN_RELAXED, RSAN_SEQ_CST));
}

// The same with a read-modify-write in between, by T3.
static bool mp_through_rmw(struct scenario *s, enum rsan_order order) {
  store(s, T1, X, 1, RSAN_RELAXED);
  store(s, T1, Y, 1, RSAN_RELEASE);
  add(s, T3, Y, 1, order);
  assert_int_equal(load(s, T3, X, RSAN_RELAXED), order == RSAN_RELAXED); // has it acquired?
  store(s, T3, Z, 1, RSAN_RELAXED);
  add(s, T3, Y, 1, order);
  load(s, T2, Y, RSAN_ACQUIRE);
  return load(s, T2, Z, RSAN_RELAXED);
}

static void mp_seqcst_rmw(void **state) {
  assert_false(mp_through_rmw(*state, RSAN_SEQ_CST));
}
static void mp_relaxed_rmw(void **state) {
  assert_true(mp_through_rmw(*state, RSAN_RELAXED));
}

static bool mp_with_fences(struct scenario *s, enum rsan_order writer, enum rsan_order reader) {
  store(s, T1, X, 1, RSAN_RELAXED);
  fence(s, T1, writer);
  store(s, T1, Y, 1, RSAN_RELAXED);
  load(s, T2, Y, RSAN_RELAXED);
  fence(s, T2, reader);
  return load(s, T2, X, RSAN_RELAXED);
}

static void mp_release_and_acquire_fence(void **state) {
  assert_false(mp_with_fences(*state, RSAN_RELEASE, RSAN_ACQUIRE));
}
static void mp_acquire_and_acquire_fence(void **state) {
  assert_true(mp_with_fences(*state, RSAN_ACQUIRE, RSAN_ACQUIRE));
}
static void mp_release_and_release_fence(void **state) {
  assert_true(mp_with_fences(*state, RSAN_RELEASE, RSAN_RELEASE));
}

static void a_thread_misses_no_write_of_its_own(void **state) {
  struct scenario *s = *state;
  assert_false(store(s, T1, X, 1, RSAN_RELAXED));
  assert_false(load(s, T1, X, RSAN_RELAXED));
  assert_false(store(s, T1, X, 2, RSAN_RELAXED));
}

static void what_was_read_once_is_not_missed_later(void **state) {
  struct scenario *s = *state;
  store(s, T1, X, 1, RSAN_RELAXED);
  assert_false(load(s, T2, X, RSAN_RELAXED));
  assert_false(load(s, T2, X, RSAN_RELAXED));
}

static void the_analysis_goes_on_after_a_violation(void **state) {
  struct scenario *s = *state;
  assert_true(store_buffering(s, RSAN_RELAXED, RSAN_RELAXED, RSAN_RELAXED));
  assert_false(load(s, T2, X, RSAN_RELAXED)); // has been read now
  store(s, T1, Z, 1, RSAN_RELAXED);
  load(s, T1, Y, RSAN_RELAXED);
  store(s, T2, Y, 2, RSAN_RELAXED);
  assert_true(load(s, T2, Z, RSAN_RELAXED));
}

// --- the table of checks: T1 changes X from 0 to 1, T2 sees that by Y and knows nothing of it ---

static struct scenario *seen_and_unknown(void **state, bool by_store) {
  struct scenario *s = *state;
  if (by_store)
    store(s, T1, X, 1, RSAN_RELAXED);
  else
    add(s, T1, X, 1, RSAN_RELAXED);
  store(s, T1, Y, 1, RSAN_RELAXED);
  load(s, T2, Y, RSAN_RELAXED);
  return s;
}

static void load_misses_a_store(void **state) {
  assert_true(load(seen_and_unknown(state, true), T2, X, RSAN_ACQUIRE));
}
static void load_misses_an_rmw(void **state) {
  assert_true(load(seen_and_unknown(state, false), T2, X, RSAN_ACQUIRE));
}
static void weak_cas_misses_an_rmw(void **state) {
  assert_true(weak_cas(seen_and_unknown(state, false), T2, X, 0, 7, RSAN_RELAXED));
}
static void store_misses_a_store(void **state) {
  assert_true(store(seen_and_unknown(state, true), T2, X, 7, RSAN_RELEASE));
}
static void store_misses_no_rmw(void **state) { // nothing comes between an RMW and what it reads
  assert_false(store(seen_and_unknown(state, false), T2, X, 7, RSAN_RELEASE));
}
static void fetch_add_misses_a_store(void **state) {
  assert_true(add(seen_and_unknown(state, true), T2, X, 7, RSAN_RELAXED));
}
static void fetch_add_misses_no_rmw(void **state) {
  assert_false(add(seen_and_unknown(state, false), T2, X, 7, RSAN_RELAXED));
}
static void wait_for_the_old_value_on_arrival(void **state) {
  assert_true(wait_for(seen_and_unknown(state, false), T2, X, 0, RSAN_ACQUIRE));
}
static void wait_for_the_new_value(void **state) {
  assert_false(wait_for(seen_and_unknown(state, false), T2, X, 1, RSAN_ACQUIRE));
}
static void bcas_from_a_value_stored_over(void **state) {
  assert_true(bcas(seen_and_unknown(state, true), T2, X, 0, 7, RSAN_ACQUIRE));
}
static void bcas_from_a_value_that_an_rmw_changed(void **state) {
  assert_false(bcas(seen_and_unknown(state, false), T2, X, 0, 7, RSAN_ACQUIRE));
}
static void bcas_from_the_new_value(void **state) {
  assert_false(bcas(seen_and_unknown(state, true), T2, X, 1, 7, RSAN_ACQUIRE));
}
static void cas_that_would_fail_instead(void **state) {
  assert_true(cas(seen_and_unknown(state, false), T2, X, 1, 7, RSAN_RELAXED));
}
static void cas_that_fails_either_way(void **state) {
  // It finds 1 where it asks for 0; it cannot come before the RMW, for then it would succeed there.
  assert_false(cas(seen_and_unknown(state, false), T2, X, 0, 7, RSAN_RELAXED));
}
static void cas_that_would_succeed_before_a_store(void **state) {
  assert_true(cas(seen_and_unknown(state, true), T2, X, 0, 7, RSAN_RELAXED));
}

// A blocked arrival leaves no trace: what it found is not read, and makes no order. (The twin is
// mp_release_relaxed, where it is.)
static void a_blocked_arrival_changes_nothing(void **state) {
  struct scenario *s = *state;
  store(s, T1, X, 1, RSAN_RELAXED);
  store(s, T1, Y, 1, RSAN_RELAXED);
  assert_false(wait_for(s, T2, Y, 9, RSAN_RELAXED));
  assert_false(load(s, T2, X, RSAN_RELAXED));
  store(s, T1, Y, 9, RSAN_RELAXED);
  assert_false(wait_for(s, T2, Y, 9, RSAN_RELAXED));
  assert_int_equal(stat(s, RSAN_STAT_foreign_writes), 0);
}

#define TEST(name) RSAN_EVERY_ENGINE(name)
static const struct CMUnitTest tests[] = {
    TEST(sb_release_acquire),
    TEST(sb_relaxed),
    TEST(sb_acqrel_fences),
    TEST(sb_sc_fences),
    TEST(sb_seqcst),
    TEST(sb_seqcst_stores_relaxed_loads),
    TEST(sb_relaxed_stores_seqcst_loads),
    RSAN_EVERY_FENCE(sb_seqcst_loads_as_fences),
    TEST(sb_with_one_fence),
    TEST(fences_alone_make_no_sc_order),
    TEST(a_read_makes_sc_order),
    TEST(mp_release_acquire),
    TEST(mp_release_consume),
    TEST(mp_release_relaxed),
    TEST(mp_relaxed_acquire),
    TEST(mp_seqcst),
    TEST(mp_seqcst_acquire),
    TEST(mp_seqcst_relaxed),
    TEST(mp_release_seqcst),
    TEST(mp_relaxed_seqcst),
    TEST(mp_seqcst_rmw),
    TEST(mp_relaxed_rmw),
    TEST(mp_release_and_acquire_fence),
    TEST(mp_acquire_and_acquire_fence),
    TEST(mp_release_and_release_fence),
    TEST(a_thread_misses_no_write_of_its_own),
    TEST(what_was_read_once_is_not_missed_later),
    TEST(the_analysis_goes_on_after_a_violation),
    TEST(load_misses_a_store),
    TEST(load_misses_an_rmw),
    TEST(weak_cas_misses_an_rmw),
    TEST(store_misses_a_store),
    TEST(store_misses_no_rmw),
    TEST(fetch_add_misses_a_store),
    TEST(fetch_add_misses_no_rmw),
    TEST(wait_for_the_old_value_on_arrival),
    TEST(wait_for_the_new_value),
    TEST(bcas_from_a_value_stored_over),
    TEST(bcas_from_a_value_that_an_rmw_changed),
    TEST(bcas_from_the_new_value),
    TEST(cas_that_would_fail_instead),
    TEST(cas_that_fails_either_way),
    TEST(cas_that_would_succeed_before_a_store),
    TEST(a_blocked_arrival_changes_nothing),
};

int main(void) {
  return cmocka_run_group_tests(tests, NULL, NULL);
}
