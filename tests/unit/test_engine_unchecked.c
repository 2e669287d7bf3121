// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan_unchecked_access of rsan/engine.h: an access in code that is left out of the analysis. Each
// test has its twin with the ordinary access.

#include "scenario.h"

static const struct rsan_access relaxed_read = {.kind = RSAN_READ, .order = RSAN_RELAXED};
static const struct rsan_access relaxed_write = {
    .kind = RSAN_WRITE, .order = RSAN_RELAXED, .written = {7, 0}};

// T1 writes X; T2 sees that by Y, knows nothing of it, and reads X after an access to it that is
// left out, by T3.
static bool misses_x(struct scenario *s, const struct rsan_access *left_out) {
  store(s, T1, X, 1, RSAN_RELAXED);
  store(s, T1, Y, 1, RSAN_RELAXED);
  load(s, T2, Y, RSAN_RELAXED);
  if (left_out)
    unchecked(s, T3, X, *left_out);
  return load(s, T2, X, RSAN_RELAXED);
}

static void without_it_x_is_missed(void **state) {
  assert_true(misses_x(*state, NULL));
}
static void nothing_rests_on_what_was_before_a_read(void **state) {
  assert_false(misses_x(*state, &relaxed_read));
}
static void nothing_rests_on_what_was_before_a_write(void **state) {
  assert_false(misses_x(*state, &relaxed_write));
}

static void its_value_is_no_foreign_one(void **state) {
  struct scenario *s = *state;
  unchecked(s, T3, X, relaxed_write);
  load(s, T2, X, RSAN_RELAXED);
  assert_int_equal(stat(s, RSAN_STAT_foreign_writes), 0);
}

static void later_writes_count_again(void **state) {
  struct scenario *s = *state;
  unchecked(s, T3, X, relaxed_write);
  assert_true(misses_x(s, NULL));
  assert_int_equal(s->violation.missed, 1);
  assert_true(rsan_value_equal(s->violation.stale, (struct rsan_value){7, 0}));
}

// T1 hands X's write on to T2 through Z, both by relaxed accesses.
static bool known_through_z(struct scenario *s, bool left_out) {
  store(s, T1, X, 1, RSAN_RELAXED);
  if (left_out) {
    unchecked(s, T1, Z, relaxed_write);
    unchecked(s, T2, Z, relaxed_read);
  } else {
    store(s, T1, Z, 7, RSAN_RELAXED);
    load(s, T2, Z, RSAN_RELAXED);
  }
  store(s, T1, Y, 1, RSAN_RELAXED);
  load(s, T2, Y, RSAN_RELAXED);
  return !load(s, T2, X, RSAN_RELAXED);
}

static void it_acquires_and_releases_whatever_its_order(void **state) {
  assert_true(known_through_z(*state, true));
}
static void ordinary_accesses_go_by_theirs(void **state) {
  assert_false(known_through_z(*state, false));
}

// A release that stood there stays: an ordinary relaxed store would end it.
static bool known_after_a_write(struct scenario *s, bool left_out) {
  store(s, T1, X, 1, RSAN_RELAXED);
  store(s, T1, Z, 1, RSAN_RELEASE);
  if (left_out)
    unchecked(s, T3, Z, relaxed_write);
  else
    store(s, T3, Z, 7, RSAN_RELAXED);
  load(s, T2, Z, RSAN_ACQUIRE);
  store(s, T1, Y, 1, RSAN_RELAXED);
  load(s, T2, Y, RSAN_RELAXED);
  return !load(s, T2, X, RSAN_RELAXED);
}

static void it_ends_no_release(void **state) {
  assert_true(known_after_a_write(*state, true));
}
static void an_ordinary_store_does(void **state) {
  assert_false(known_after_a_write(*state, false));
}

// T3 has seen X's write and does not know it; T2 meets T3 at Z.
static bool seen_through_z(struct scenario *s, bool left_out) {
  store(s, T1, X, 1, RSAN_RELAXED);
  store(s, T1, Y, 1, RSAN_RELAXED);
  load(s, T3, Y, RSAN_RELAXED);
  if (left_out)
    unchecked(s, T3, Z, relaxed_write);
  else
    store(s, T3, Z, 7, RSAN_RELAXED);
  load(s, T2, Z, RSAN_RELAXED);
  return load(s, T2, X, RSAN_RELAXED);
}

static void it_makes_no_sc_order(void **state) {
  assert_false(seen_through_z(*state, true));
}
static void an_ordinary_access_does(void **state) {
  assert_true(seen_through_z(*state, false));
}

// T1 writes X and makes an access that is left out, T2 passes a fence, and then T1 misses Y.
static bool orders_x(struct scenario *s, enum rsan_order order) {
  struct rsan_access left_out = {.kind = RSAN_READ, .order = order};
  store(s, T1, X, 1, RSAN_RELAXED);
  unchecked(s, T1, Z, left_out);
  fence(s, T2, RSAN_SEQ_CST);
  load(s, T1, Y, RSAN_RELAXED);
  store(s, T2, Y, 1, RSAN_RELAXED);
  return !load(s, T2, X, RSAN_RELAXED);
}

static void its_fence_takes_place(void **state) {
  assert_true(orders_x(*state, RSAN_SEQ_CST));
}
static void a_relaxed_one_has_none(void **state) {
  assert_false(orders_x(*state, RSAN_RELAXED));
}
// An event of S that nothing connects with the fence.
static void without_its_fence(void **state) {
  assert_false(orders_x(*state, RSAN_SEQ_CST));
}

static void on_a_withdrawn_location(void **state) {
  struct scenario *s = *state;
  rsan_location_withdraw(s->engine, s->locations[Z], 8);
  assert_true(known_through_z(s, true));
}

// What T1 has released stays one of an epoch that T2 has seen (test_engine_epochs.c).
static void what_it_takes_is_taken(void **state) {
  struct scenario *s = *state;
  store(s, T1, X, 1, RSAN_RELAXED);
  store(s, T1, Z, 1, RSAN_RELEASE);
  unchecked(s, T2, Z, relaxed_read);
  store(s, T1, Z, 2, RSAN_RELEASE);
  store(s, T1, Y, 1, RSAN_RELAXED);
  load(s, T2, Y, RSAN_RELAXED);
  assert_false(load(s, T2, X, RSAN_RELAXED));
}

#define TEST(name) RSAN_EVERY_ENGINE(name)
static const struct CMUnitTest tests[] = {
    TEST(without_it_x_is_missed),
    TEST(nothing_rests_on_what_was_before_a_read),
    TEST(nothing_rests_on_what_was_before_a_write),
    TEST(its_value_is_no_foreign_one),
    TEST(later_writes_count_again),
    TEST(it_acquires_and_releases_whatever_its_order),
    TEST(ordinary_accesses_go_by_theirs),
    TEST(it_ends_no_release),
    TEST(an_ordinary_store_does),
    TEST(it_makes_no_sc_order),
    TEST(an_ordinary_access_does),
    RSAN_EVERY_FENCE(its_fence_takes_place),
    RSAN_EVERY_FENCE(a_relaxed_one_has_none),
    TEST(without_its_fence),
    TEST(on_a_withdrawn_location),
    TEST(what_it_takes_is_taken),
};

int main(void) {
  return cmocka_run_group_tests(tests, NULL, NULL);
}
