// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same seq_cst write again and again (rsan_s_go_on): it is an event of S each time. And what
// the read-modify-writes of several threads add to a release sequence (rsan_s_location.parts).

#include "scenario.h"

static void write_again(struct scenario *s, int t, int x) {
  for (uint64_t value = 1; value <= 8; value++)
    store(s, t, x, value, RSAN_SEQ_CST);
}

// T2 reads what T1 has written last, and then Y, which T3 writes. So T2's reads are S-before T3's
// write if that is seq_cst, and T3 may not miss T1's write.
static bool misses_x(struct scenario *s, enum rsan_order order) {
  write_again(s, T1, X);
  load(s, T2, X, RSAN_SEQ_CST);
  load(s, T2, Y, RSAN_SEQ_CST);
  store(s, T3, Y, 1, order);
  return load(s, T3, X, RSAN_SEQ_CST);
}

static void the_last_one_is_s_before_its_reader(void **state) {
  assert_false(misses_x(*state, RSAN_SEQ_CST));
}
static void unless_that_is_not_handed_on(void **state) {
  assert_true(misses_x(*state, RSAN_RELEASE));
}

// T1 learns of T4's write of Z in between: by a read of Y, which T3's write comes before.
static bool misses_z(struct scenario *s, enum rsan_order order) {
  store(s, T4, Z, 1, RSAN_SEQ_CST);
  load(s, T4, Y, RSAN_SEQ_CST);
  store(s, T3, Y, 1, RSAN_SEQ_CST); // after T4, by S alone
  write_again(s, T1, X);
  load(s, T1, Y, order);
  store(s, T1, X, 9, RSAN_SEQ_CST);
  load(s, T2, X, RSAN_SEQ_CST);
  return load(s, T2, Z, RSAN_SEQ_CST);
}

static void what_is_learnt_in_between_is_passed_on(void **state) {
  assert_false(misses_z(*state, RSAN_SEQ_CST));
}
static void unless_it_is_not_learnt_by_s(void **state) {
  assert_true(misses_z(*state, RSAN_RELAXED));
}

// T2 learns of T4's write of Z by S alone, if its store of Y is an event of S. T1 and T3 have an
// event that nobody knows.
static void let_t2_know(struct scenario *s, enum rsan_order order) {
  load(s, T1, X, RSAN_SEQ_CST);
  load(s, T3, X, RSAN_SEQ_CST);
  store(s, T4, Z, 1, RSAN_SEQ_CST);
  load(s, T4, Y, RSAN_SEQ_CST);
  store(s, T2, Y, 1, order); // after T4
}

// T2 adds that to a release sequence as the second of three. A reader from its end that is no event
// of S has it by happens-before, for its next event.
static void add_three_parts(struct scenario *s, enum rsan_order order) {
  let_t2_know(s, order);
  add(s, T1, X, 1, RSAN_SEQ_CST);
  add(s, T2, X, 1, RSAN_SEQ_CST);
  add(s, T3, X, 1, RSAN_SEQ_CST);
}

static bool misses_z_after_three_parts(struct scenario *s, enum rsan_order of_y,
                                       enum rsan_order of_x) {
  add_three_parts(s, of_y);
  load(s, T1, X, of_x);
  return load(s, T1, Z, RSAN_SEQ_CST);
}

static void each_part_is_taken(void **state) {
  assert_false(misses_z_after_three_parts(*state, RSAN_SEQ_CST, RSAN_ACQUIRE));
}
static void each_part_is_taken_by_a_fence(void **state) {
  struct scenario *s = *state;
  add_three_parts(s, RSAN_SEQ_CST);
  load(s, T1, X, RSAN_RELAXED);
  fence(s, T1, RSAN_ACQUIRE);
  assert_false(load(s, T1, Z, RSAN_SEQ_CST));
}
static void but_not_by_a_relaxed_read(void **state) {
  assert_true(misses_z_after_three_parts(*state, RSAN_SEQ_CST, RSAN_RELAXED));
}
static void nor_what_its_thread_has_not(void **state) {
  assert_true(misses_z_after_three_parts(*state, RSAN_RELEASE, RSAN_ACQUIRE));
}
static void nor_by_an_access_that_is_no_event(void **state) {
  struct scenario *s = *state;
  add_three_parts(s, RSAN_SEQ_CST);
  load(s, T1, X, RSAN_ACQUIRE);
  assert_true(load(s, T1, Z, RSAN_ACQUIRE));
}

// T2 adds it by an access that is no event of S. So another one does not have it by S.
static bool misses_z_after_a_weak_part(struct scenario *s, enum rsan_order order) {
  let_t2_know(s, RSAN_SEQ_CST);
  add(s, T1, X, 1, RSAN_SEQ_CST);
  add(s, T2, X, 1, order);
  load(s, T3, X, RSAN_SEQ_CST);
  return load(s, T3, Z, RSAN_SEQ_CST);
}

static void a_weak_part_is_taken_by_an_event(void **state) {
  assert_false(misses_z_after_a_weak_part(*state, RSAN_RELEASE));
}
static void unless_it_releases_nothing(void **state) {
  assert_true(misses_z_after_a_weak_part(*state, RSAN_RELAXED));
}

#define TEST(name) RSAN_EVERY_ENGINE(name)
static const struct CMUnitTest tests[] = {
    TEST(the_last_one_is_s_before_its_reader),
    TEST(unless_that_is_not_handed_on),
    TEST(what_is_learnt_in_between_is_passed_on),
    TEST(unless_it_is_not_learnt_by_s),
    TEST(each_part_is_taken),
    TEST(each_part_is_taken_by_a_fence),
    TEST(but_not_by_a_relaxed_read),
    TEST(nor_what_its_thread_has_not),
    TEST(nor_by_an_access_that_is_no_event),
    TEST(a_weak_part_is_taken_by_an_event),
    TEST(unless_it_releases_nothing),
};

int main(void) {
  return cmocka_run_group_tests(tests, NULL, NULL);
}
