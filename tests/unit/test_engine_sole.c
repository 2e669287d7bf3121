// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan/engine/sole.c: when a thread is sole, and what its accesses leave for later ones.

#include "scenario.h"

static void finish(struct scenario *s, int t) {
  rsan_thread_finish(s->threads[t]);
}

static void join_t1(struct scenario *s, int t) {
  rsan_thread_join(s->threads[T1], s->threads[t]);
  scenario_replace_thread(s, t, NULL);
}

// T1 joins the threads from `first` on.
static void end_all_from(struct scenario *s, int first) {
  for (int t = first; t < SCENARIO_THREADS; t++) {
    finish(s, t);
    join_t1(s, t);
  }
}

// An access of T1, which is sole.
static void access_as_sole(struct scenario *s, enum rsan_access_kind kind, int x, uint64_t value) {
  struct rsan_value seen = s->memory[x], left = {kind == RSAN_READ ? seen.low : value, 0};
  struct rsan_access access = {
      .kind = kind,
      .check = kind == RSAN_READ ? RSAN_CHECK_READ : RSAN_CHECK_WRITE,
      .order = RSAN_RELAXED,
      .size = 4,
      .seen = seen,
      .written = left,
  };
  assert_true(rsan_thread_is_sole(s->threads[T1]));
  if (!rsan_sole_update(s->locations[x], seen, left))
    rsan_sole_access(s->threads[T1], s->locations[x], &access);
  s->memory[x] = left;
}

static void create(struct scenario *s, int t) {
  scenario_replace_thread(s, t, rsan_thread_create(s->engine, s->threads[T1], (uint32_t)t));
}

// T2 writes X and then Y; T3 has read Y, and reads X.
static bool t3_misses_t2s_write(struct scenario *s) {
  store(s, T2, X, 5, RSAN_RELAXED);
  store(s, T2, Y, 5, RSAN_RELAXED);
  load(s, T3, Y, RSAN_RELAXED);
  return load(s, T3, X, RSAN_RELAXED);
}

static void a_thread_that_has_joined_all_is_sole(void **state) {
  struct scenario *s = *state;
  end_all_from(s, T2);
  assert_true(rsan_thread_is_sole(s->threads[T1]));
  create(s, T2);
  assert_false(rsan_thread_is_sole(s->threads[T1]));
  finish(s, T2);
  join_t1(s, T2);
  assert_true(rsan_thread_is_sole(s->threads[T1]));
}

static void not_beside_another(void **state) {
  struct scenario *s = *state;
  end_all_from(s, T3);
  assert_false(rsan_thread_is_sole(s->threads[T1]));
}

static void not_before_it_has_joined_all(void **state) {
  struct scenario *s = *state;
  end_all_from(s, T3);
  finish(s, T2);
  assert_false(rsan_thread_is_sole(s->threads[T1]));
  join_t1(s, T2);
  assert_true(rsan_thread_is_sole(s->threads[T1]));
}

// What T2 released is known, its end is not.
static void not_by_what_another_released(void **state) {
  struct scenario *s = *state;
  end_all_from(s, T3);
  store(s, T2, Y, 1, RSAN_RELEASE);
  load(s, T1, Y, RSAN_ACQUIRE);
  store(s, T2, X, 1, RSAN_RELAXED);
  finish(s, T2);
  assert_false(rsan_thread_is_sole(s->threads[T1]));
}

static void the_explicit_clocks_have_none(void **state) {
  struct scenario *s = *state;
  end_all_from(s, T2);
  assert_false(rsan_thread_is_sole(s->threads[T1]));
}

static void its_writes_are_known_to_its_children(void **state) {
  struct scenario *s = *state;
  store(s, T2, X, 1, RSAN_RELAXED);
  end_all_from(s, T2);
  access_as_sole(s, RSAN_WRITE, X, 2);
  access_as_sole(s, RSAN_WRITE, Y, 2);
  access_as_sole(s, RSAN_RMW, X, 3);
  create(s, T2);
  assert_false(load(s, T2, Y, RSAN_RELAXED));
  assert_false(load(s, T2, X, RSAN_RELAXED));
}

// The stale value is the one that the sole thread left.
static void later_writes_are_missed(void **state) {
  struct scenario *s = *state;
  store(s, T2, X, 1, RSAN_RELAXED);
  end_all_from(s, T2);
  access_as_sole(s, RSAN_WRITE, X, 2);
  access_as_sole(s, RSAN_RMW, X, 3);
  create(s, T2);
  create(s, T3);
  assert_true(t3_misses_t2s_write(s));
  assert_int_equal(s->violation.stale.low, 3);
  assert_int_equal(s->violation.missed_value.low, 5);
  assert_int_equal(stat(s, RSAN_STAT_foreign_writes), 0);
}

// The SC order between two phases with other threads is that of the later one alone.
static void an_order_from_before_forbids_nothing(void **state) {
  struct scenario *s = *state;
  store(s, T2, X, 1, RSAN_RELAXED);
  store(s, T2, Y, 1, RSAN_RELAXED);
  end_all_from(s, T2);
  access_as_sole(s, RSAN_READ, Y, 0);
  create(s, T3);
  assert_false(load(s, T3, X, RSAN_RELAXED));
}

static void a_value_that_is_not_seen_is_counted(void **state) {
  struct scenario *s = *state;
  end_all_from(s, T2);
  access_as_sole(s, RSAN_WRITE, X, 1);
  assert_int_equal(stat(s, RSAN_STAT_foreign_writes), 0);
  scenario_poke(s, X, 9);
  access_as_sole(s, RSAN_READ, X, 0);
  assert_int_equal(stat(s, RSAN_STAT_foreign_writes), 1);
  access_as_sole(s, RSAN_READ, X, 0);
  assert_int_equal(stat(s, RSAN_STAT_foreign_writes), 1);
}

#define TEST(name) RSAN_ENGINE(name, bounded), RSAN_ENGINE(name, exact)
static const struct CMUnitTest tests[] = {
    TEST(a_thread_that_has_joined_all_is_sole),
    TEST(not_beside_another),
    TEST(not_before_it_has_joined_all),
    TEST(not_by_what_another_released),
    RSAN_ENGINE(the_explicit_clocks_have_none, explicit),
    TEST(its_writes_are_known_to_its_children),
    TEST(later_writes_are_missed),
    TEST(an_order_from_before_forbids_nothing),
    TEST(a_value_that_is_not_seen_is_counted),
};

int main(void) {
  return cmocka_run_group_tests(tests, NULL, NULL);
}
