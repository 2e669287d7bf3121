// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan/engine.h: accesses that the kernel makes. T1 leaves other values in X, T2 sees that by Y and
// knows nothing of it. What is asked of a comparison: would it have ended otherwise?

#include "scenario.h"

// X is `old` and then `next`, which T2 sees by Y.
static struct scenario *changed(void **state, uint64_t old, uint64_t next) {
  struct scenario *s = *state;
  scenario_poke(s, X, old);
  store(s, T1, X, next, RSAN_RELAXED);
  store(s, T1, Y, 1, RSAN_RELAXED);
  load(s, T2, Y, RSAN_RELAXED);
  return s;
}

static void a_stale_value_would_let_it_sleep(void **state) {
  struct scenario *s = changed(state, 3, 9);
  assert_true(kernel_compares(s, T2, X, 3));
  assert_true(rsan_value_equal(s->violation.stale, (struct rsan_value){3, 0}));
}
static void a_stale_value_would_wake_it(void **state) {
  assert_true(kernel_compares(changed(state, 3, 9), T2, X, 9));
}
static void neither_value_is_the_one(void **state) {
  assert_false(kernel_compares(changed(state, 3, 9), T2, X, 4));
}
static void a_load_of_the_same(void **state) {
  assert_true(load(changed(state, 3, 9), T2, X, RSAN_RELAXED));
}

// X is 3, 9 and 3 again.
static void the_one_in_between_decides(void **state) {
  struct scenario *s = *state;
  scenario_poke(s, X, 3);
  store(s, T1, X, 9, RSAN_RELAXED);
  changed(state, 9, 3);
  assert_true(kernel_compares(s, T2, X, 3));
}
static void without_one_in_between(void **state) {
  struct scenario *s = changed(state, 3, 3);
  assert_false(kernel_compares(s, T2, X, 3));
}

// The barriers of both sides order the write before the comparison.
static struct scenario *fenced(void **state, bool wakes) {
  struct scenario *s = *state;
  scenario_poke(s, X, 3);
  store(s, T1, X, 9, RSAN_RELAXED);
  if (wakes)
    fence(s, T1, RSAN_SEQ_CST);
  store(s, T1, Y, 1, RSAN_RELAXED);
  load(s, T2, Y, RSAN_RELAXED);
  fence(s, T2, RSAN_SEQ_CST);
  return s;
}
static void a_barrier_on_each_side(void **state) {
  assert_false(kernel_compares(fenced(state, true), T2, X, 3));
}
static void the_kernels_alone(void **state) {
  assert_true(kernel_compares(fenced(state, false), T2, X, 3));
}

static void a_write_misses_a_store(void **state) {
  assert_true(kernel_writes(changed(state, 3, 9), T2, X, 5));
}
static void a_write_misses_no_read_modify_write(void **state) {
  struct scenario *s = *state;
  add(s, T1, X, 1, RSAN_RELAXED);
  store(s, T1, Y, 1, RSAN_RELAXED);
  load(s, T2, Y, RSAN_RELAXED);
  assert_false(kernel_writes(s, T2, X, 5));
}

// What an exploration has to know: the result is the same, and less is acquired.
static bool has_older(struct scenario *s, uint64_t expected) {
  const struct rsan_access access = {.kind = RSAN_READ,
                                     .check = RSAN_CHECK_KERNEL_COMPARE,
                                     .size = 8,
                                     .seen = s->memory[X],
                                     .expected = rsan_equals((struct rsan_value){expected, 0})};
  return rsan_wait_has_older(s->threads[T2], s->locations[X], &access);
}
static void an_older_value_with_the_same_result(void **state) {
  assert_true(has_older(changed(state, 3, 9), 4));
}
static void an_older_value_with_another_result(void **state) {
  assert_false(has_older(changed(state, 3, 9), 3));
}

#define TEST(name) RSAN_EVERY_ENGINE(name)
static const struct CMUnitTest tests[] = {
    TEST(a_stale_value_would_let_it_sleep),
    TEST(a_stale_value_would_wake_it),
    TEST(neither_value_is_the_one),
    TEST(a_load_of_the_same),
    TEST(the_one_in_between_decides),
    TEST(without_one_in_between),
    TEST(a_barrier_on_each_side),
    TEST(the_kernels_alone),
    TEST(a_write_misses_a_store),
    TEST(a_write_misses_no_read_modify_write),
    TEST(an_older_value_with_the_same_result),
    TEST(an_older_value_with_another_result),
};

int main(void) {
  return cmocka_run_group_tests(tests, NULL, NULL);
}
