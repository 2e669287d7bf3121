// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan/engine.h: an epoch that was released in one place, and replaced there before anybody took
// it, leaves nothing behind. T1 writes X by releases.

#include "scenario.h"

enum { STREAK = 12 }; // fewer than are collected

static uint32_t records(const struct scenario *s, int x) {
  return s->locations[x]->compact.records.count;
}

// --- what is left of a streak of releases ---

static void a_streak_that_nobody_took_leaves_one_record(void **state) {
  struct scenario *s = *state;
  for (uint64_t i = 1; i <= STREAK; i++)
    store(s, T1, X, i, RSAN_RELEASE);
  assert_int_equal(records(s, X), 1);
}

static void so_does_one_of_read_modify_writes(void **state) {
  struct scenario *s = *state;
  for (uint64_t i = 1; i <= STREAK; i++)
    add(s, T1, X, 1, RSAN_ACQ_REL);
  assert_int_equal(records(s, X), 1);
}

// What one thread released by a relaxed write after them replaces it, too.
static void and_a_relaxed_write_ends_it(void **state) {
  struct scenario *s = *state;
  store(s, T1, X, 1, RSAN_RELEASE);
  store(s, T1, X, 2, RSAN_RELAXED);
  assert_int_equal(records(s, X), 1);
}

static void a_relaxed_read_modify_write_does_not(void **state) {
  struct scenario *s = *state;
  store(s, T1, X, 1, RSAN_RELEASE);
  add(s, T1, X, 2, RSAN_RELAXED); // what was released stands
  assert_int_equal(records(s, X), 2);
}

static void what_was_released_elsewhere_stands(void **state) {
  struct scenario *s = *state;
  store(s, T1, X, 1, RSAN_RELEASE);
  store(s, T1, Y, 1, RSAN_RELEASE);
  store(s, T1, X, 2, RSAN_RELEASE);
  assert_int_equal(records(s, X), 2);
}

static void what_others_read_stands(void **state) {
  struct scenario *s = *state;
  store(s, T1, X, 1, RSAN_RELEASE);
  load(s, T2, X, RSAN_RELAXED);
  store(s, T1, X, 2, RSAN_RELEASE);
  assert_int_equal(records(s, X), 3);
}

static void versions_are_folded_over_epochs(void **state) {
  struct scenario *s = *state;
  for (uint64_t i = 1; i <= STREAK; i++)
    store(s, T1, X, i, RSAN_RELEASE);
  assert_int_equal(s->locations[X]->history.count, 3); // as in test_history_fold.c
  assert_true(stat(s, RSAN_STAT_folded_versions) > 0);
}

// --- and nothing is invented. T2 comes to X's first version; T1 writes another; T2 reads X. It has
// seen of T1 what came before that write. ---

enum way { BY_NOTHING, BY_ANNOTATION, BY_ACQUIRE, BY_RELAXED_AND_FENCE };

static bool misses_x(struct scenario *s, enum way way, enum rsan_order second) {
  store(s, T1, X, 1, RSAN_RELEASE);
  if (way == BY_ANNOTATION) // alone: T2 knows the version by happens-before, not by a record
    rsan_acquire_location(s->threads[T2], s->locations[X]);
  if (way == BY_ACQUIRE)
    load(s, T2, X, RSAN_ACQUIRE);
  if (way == BY_RELAXED_AND_FENCE)
    load(s, T2, X, RSAN_RELAXED);
  if (way == BY_RELAXED_AND_FENCE)
    fence(s, T2, RSAN_ACQUIRE);
  store(s, T1, Y, 1, RSAN_RELAXED);
  load(s, T2, Y, RSAN_RELAXED);
  store(s, T1, X, 2, second);
  return load(s, T2, X, RSAN_RELAXED);
}

static void who_took_nothing_misses_the_first(void **state) {
  struct scenario *s = *state;
  assert_true(misses_x(s, BY_NOTHING, RSAN_RELEASE));
  assert_int_equal(s->violation.missed, 1);
}
static void who_took_it_by_an_annotation_misses_nothing(void **state) {
  assert_false(misses_x(*state, BY_ANNOTATION, RSAN_RELEASE));
}
static void nor_before_a_relaxed_write(void **state) {
  assert_false(misses_x(*state, BY_ANNOTATION, RSAN_RELAXED));
}
static void who_took_it_by_a_load_misses_nothing(void **state) {
  assert_false(misses_x(*state, BY_ACQUIRE, RSAN_RELEASE));
}
static void who_took_it_by_a_fence_misses_nothing(void **state) {
  assert_false(misses_x(*state, BY_RELAXED_AND_FENCE, RSAN_RELEASE));
}

// --- a load that is repeated while neither the location nor the thread's SC view has moved ---

static void it_changes_nothing(void **state) {
  struct scenario *s = *state;
  store(s, T1, X, 1, RSAN_RELEASE);
  load(s, T2, X, RSAN_RELAXED);
  const struct rsan_location *x = s->locations[X];
  const uint64_t *changes = rsan_thread_changes(s->threads[T2]), before = *changes;
  uint32_t count = records(s, X);
  struct rsan_stamp m = x->compact.m;
  uint64_t index = rsan_stamp_get(&m, s->threads[T2]->hb.index);
  fence(s, T2, RSAN_ACQUIRE); // another view by happens-before, another epoch
  fence(s, T2, RSAN_RELEASE);
  assert_int_equal(*changes, before);
  assert_false(load(s, T2, X, RSAN_RELAXED));
  assert_int_equal(*changes, before);
  assert_int_equal(records(s, X), count);
  assert_ptr_equal(x->compact.m.base, m.base);
  assert_true(x->compact.m.index == m.index);
  load(s, T3, X, RSAN_RELAXED); // another's does
  assert_int_not_equal(records(s, X), count);
  store(s, T2, Y, 1, RSAN_RELAXED); // and after another step it does
  assert_int_not_equal(*changes, before);
  load(s, T2, X, RSAN_RELAXED);
  assert_true(rsan_stamp_get(&x->compact.m, s->threads[T2]->hb.index) > index);
}

#define RSAN_COMPACT(test) RSAN_ENGINE(test, bounded), RSAN_ENGINE(test, exact)
#define TEST(name)         RSAN_EVERY_ENGINE(name)
static const struct CMUnitTest tests[] = {
    RSAN_COMPACT(a_streak_that_nobody_took_leaves_one_record),
    RSAN_COMPACT(so_does_one_of_read_modify_writes),
    RSAN_COMPACT(and_a_relaxed_write_ends_it),
    RSAN_COMPACT(a_relaxed_read_modify_write_does_not),
    RSAN_COMPACT(what_was_released_elsewhere_stands),
    RSAN_COMPACT(what_others_read_stands),
    RSAN_ENGINE(versions_are_folded_over_epochs, bounded),
    RSAN_COMPACT(it_changes_nothing),
    TEST(who_took_nothing_misses_the_first),
    TEST(who_took_it_by_an_annotation_misses_nothing),
    TEST(nor_before_a_relaxed_write),
    TEST(who_took_it_by_a_load_misses_nothing),
    TEST(who_took_it_by_a_fence_misses_nothing),
};

int main(void) {
  return cmocka_run_group_tests(tests, NULL, NULL);
}
