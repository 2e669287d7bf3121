// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same seq_cst write again and again (rsan_s_go_on): it is an event of S each time.

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

// T1 learns of T4's write of Z in between: by a read of Y that T2's write comes after, in S.
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

#define TEST(name) RSAN_EVERY_ENGINE(name)
static const struct CMUnitTest tests[] = {
    TEST(the_last_one_is_s_before_its_reader),
    TEST(unless_that_is_not_handed_on),
    TEST(what_is_learnt_in_between_is_passed_on),
    TEST(unless_it_is_not_learnt_by_s),
};

int main(void) {
  return cmocka_run_group_tests(tests, NULL, NULL);
}
