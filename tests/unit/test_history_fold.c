// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan_history_fold of rsan/lc/history.h: is the newest version dropped before the next one comes?
// It is while no check can be about it; each reason against it has its twin. Then all streaks of
// four versions: whatever is dropped, every check finds what it finds without.

#include "unit.h"

#include "lc/history.h"

static struct rsan_history history;

static int begin(void **state) {
  (void)state;
  rsan_history_restart(&history, (struct rsan_value){0, 0});
  return 0;
}

static int end(void **state) {
  (void)state;
  rsan_history_clear(&history);
  return unit_check_memory();
}

static void append(enum rsan_access_kind kind, uint64_t low) {
  struct rsan_access access = {.kind = kind, .written = {low, 0}};
  rsan_history_append(&history, &access, 0, 0, history.newest + 1);
}
static void store(uint64_t low) {
  append(RSAN_WRITE, low);
}
static void rmw(uint64_t low) {
  append(RSAN_RMW, low);
}

static bool folds(uint64_t known_below) {
  uint32_t count = history.count;
  bool folded = rsan_history_fold(&history, known_below) != RSAN_FOLDS_NOTHING;
  assert_int_equal(history.count, count - folded);
  return folded;
}

// --- what it takes: a version before it that no more is known than this one ---

static void a_streak_of_stores_of_different_values(void **state) {
  (void)state;
  store(1); // overwrote 0
  store(2); // overwrote 1
  store(3); // overwrote 2: of other values there is the one before
  assert_true(folds(0));
  assert_int_equal(history.newest, 3);
  assert_true(rsan_value_equal(history.value, (struct rsan_value){3, 0}));
}

static void numbers_and_values_go_on_after_it(void **state) {
  (void)state;
  store(1);
  store(2);
  store(3);
  folds(0);
  store(4);
  const struct rsan_version *newest = &history.at[history.count - 1];
  assert_int_equal(newest->number, 4);
  assert_true(rsan_value_equal(newest->overwrote, (struct rsan_value){3, 0}));
}

static void a_long_streak_keeps_two(void **state) {
  (void)state;
  for (uint64_t i = 1; i <= 100; i++) {
    folds(0);
    store(i);
  }
  assert_int_equal(history.count, 3); // and the newest
  assert_int_equal(history.newest, 100);
}

// --- each reason against it ---

static void somebody_may_know_the_version_before_it(void **state) {
  (void)state;
  store(1);
  store(2);
  store(3);
  assert_false(folds(2)); // version 3 is the first that one who knows 2 can miss
}

static void or_one_between(void **state) {
  (void)state;
  for (uint64_t i = 1; i <= 4; i++)
    store(i);
  assert_true(folds(1)); // 2 and 3 are left to those who know 1
}

static void nothing_tells_what_is_known(void **state) {
  (void)state;
  store(1);
  store(2);
  store(3);
  assert_false(folds(UINT64_MAX));
}

static void the_only_version(void **state) {
  (void)state;
  store(1);
  assert_false(folds(0));
}

static void no_version(void **state) {
  (void)state;
  assert_false(folds(0));
}

static void the_newest_is_gone_already(void **state) {
  (void)state;
  store(1);
  store(2);
  store(3);
  store(4);
  assert_true(folds(0));
  assert_false(folds(0));
}

static void the_first_store_after_read_modify_writes(void **state) {
  (void)state;
  rmw(1);
  rmw(2);
  store(3);
  assert_false(folds(0)); // a store that others may lose against
}
static void a_read_modify_write_after_them(void **state) {
  (void)state;
  rmw(1);
  rmw(2);
  rmw(3);
  assert_true(folds(0));
}
static void a_store_after_a_store(void **state) {
  (void)state;
  rmw(1);
  store(2);
  store(3);
  assert_true(folds(0));
}

// A strong compare-exchange from 0 asks for the first that overwrote something else.
static void the_first_that_overwrote_another_value(void **state) {
  (void)state;
  rmw(0);
  rmw(7); // overwrote 0 like the first
  rmw(8); // overwrote 7
  assert_false(folds(0));
}
static void another_that_overwrote_the_same(void **state) {
  (void)state;
  rmw(0);
  rmw(0);
  rmw(8); // overwrote 0
  assert_true(folds(0));
}
static void another_after_it(void **state) {
  (void)state;
  rmw(7);
  rmw(8); // overwrote 7
  rmw(9); // overwrote 8
  assert_true(folds(0));
}

static void name(enum rsan_relation relation, uint64_t operand) {
  struct rsan_condition condition = {
      .operand = {operand, 0}, .relation = (uint8_t)relation, .size = 8};
  rsan_history_add_critical(&history, &condition);
}

// Versions 1, 2, 3 overwrote 0, 5, 6; somebody waits for a value.
static bool folds_while_waited_for(enum rsan_relation relation, uint64_t operand) {
  store(5);
  store(6);
  store(7);
  name(relation, operand);
  return folds(0);
}

static void a_wait_for_what_it_overwrote(void **state) {
  (void)state;
  assert_false(folds_while_waited_for(RSAN_EQUAL, 6));
}
static void a_wait_for_what_another_overwrote(void **state) {
  (void)state;
  assert_true(folds_while_waited_for(RSAN_EQUAL, 5));
}
static void a_wait_for_what_none_overwrote(void **state) {
  (void)state;
  assert_true(folds_while_waited_for(RSAN_EQUAL, 7));
}
static void a_wait_for_more_than_another_overwrote(void **state) {
  (void)state;
  assert_false(folds_while_waited_for(RSAN_U_GREATER, 5));
}
static void a_wait_for_as_much_as_another_overwrote(void **state) {
  (void)state;
  assert_true(folds_while_waited_for(RSAN_U_AT_LEAST, 5));
}
static void two_waits_and_one_of_them_asks_for_it(void **state) {
  (void)state;
  name(RSAN_EQUAL, 5);
  assert_false(folds_while_waited_for(RSAN_EQUAL, 6));
}

// BCAS asks for stores: a read-modify-write that overwrote the value does not stand for one.
static bool folds_after_the_same_value(enum rsan_access_kind before) {
  store(5);
  append(before, 5); // overwrote 5
  store(7);          // overwrote 5
  name(RSAN_EQUAL, 5);
  return folds(0);
}
static void a_store_that_follows_a_read_modify_write(void **state) {
  (void)state;
  assert_false(folds_after_the_same_value(RSAN_RMW));
}
static void a_store_that_follows_a_store(void **state) {
  (void)state;
  assert_true(folds_after_the_same_value(RSAN_WRITE));
}

// --- all streaks: kinds and values of STREAK versions, what the others know, each check ---

enum { STREAK = 5, VALUES = 2, CHECKS = 2 + 3 * VALUES };

static struct rsan_access nth_check(int n) {
  static const enum rsan_check of_values[] = {RSAN_CHECK_WAIT, RSAN_CHECK_BCAS,
                                              RSAN_CHECK_STRONG_CAS};
  if (n < 2)
    return (struct rsan_access){.check = n ? RSAN_CHECK_WRITE : RSAN_CHECK_READ};
  return (struct rsan_access){.check = of_values[(n - 2) / VALUES],
                              .expected = rsan_equals((struct rsan_value){(n - 2) % VALUES, 0})};
}

// Version `number` of a streak: a bit for its kind, one for its value.
static struct rsan_access access_from(unsigned code, uint64_t number) {
  code >>= 2 * (number - 1);
  return (struct rsan_access){.kind = code & 1 ? RSAN_WRITE : RSAN_RMW,
                              .written = {code >> 1 & 1, 0}};
}
static void append_from(unsigned code, uint64_t number) {
  struct rsan_access access = access_from(code, number);
  rsan_history_append(&history, &access, 0, 0, history.newest + 1);
}

static void first_of_all_checks(uint64_t known, uint64_t *found) {
  for (int n = 0; n < CHECKS; n++) {
    struct rsan_access access = nth_check(n);
    const struct rsan_version *first = rsan_history_first(&history, known, &access);
    found[n] = first ? first->number : 0;
  }
}

// The writer's record says STREAK now: others know what they knew before it or that.
static unsigned compare(unsigned code, uint64_t known_below) {
  uint64_t whole[STREAK + 1][CHECKS], folded[CHECKS];
  unsigned dropped = 0;
  for (int with_folding = 0; with_folding < 2; with_folding++) {
    begin(NULL);
    for (uint64_t value = 0; value < VALUES; value++)
      name(RSAN_EQUAL, value);
    for (uint64_t number = 1; number <= STREAK; number++) {
      if (with_folding && number > known_below + 1)
        dropped += rsan_history_fold(&history, known_below) != RSAN_FOLDS_NOTHING;
      append_from(code, number);
    }
    for (uint64_t known = 0; known <= known_below; known++) {
      first_of_all_checks(known, with_folding ? folded : whole[known]);
      for (int n = 0; with_folding && n < CHECKS; n++)
        assert_int_equal(folded[n], whole[known][n]);
    }
  }
  return dropped;
}

static void no_check_finds_anything_else(void **state) {
  (void)state;
  unsigned dropped = 0;
  for (unsigned code = 0; code < 1u << (2 * STREAK); code++)
    for (uint64_t known_below = 0; known_below < STREAK; known_below++)
      dropped += compare(code, known_below);
  assert_true(dropped > 0);
}

// As a repeated write does (fast/again.h): the newest version becomes that of `access`.
static void replace(const struct rsan_access *access) {
  history.count--;
  rsan_history_append(&history, access, 0, 0, history.newest + 1);
}

// The same with what rsan_history_fold says of the versions after: they are put in place of the
// newest without a question. Nobody has named a condition.
static unsigned compare_replaced(unsigned code, uint64_t known_below) {
  uint64_t whole[STREAK + 1][CHECKS], replaced_one[CHECKS];
  unsigned replaced = 0;
  for (int with_streak = 0; with_streak < 2; with_streak++) {
    begin(NULL);
    enum rsan_fold fold = RSAN_FOLDS_NOTHING;
    for (uint64_t number = 1; number <= STREAK; number++) {
      struct rsan_access access = access_from(code, number);
      bool same = fold == RSAN_FOLDS_ALL ||
                  (fold == RSAN_FOLDS_READ_MODIFY_WRITES && history.newest_plain != history.newest);
      if (with_streak && same) {
        replace(&access);
        replaced++;
        continue;
      }
      if (with_streak && number > known_below + 1)
        fold = rsan_history_fold(&history, known_below);
      rsan_history_append(&history, &access, 0, 0, history.newest + 1);
    }
    for (uint64_t known = 0; known <= known_below; known++) {
      first_of_all_checks(known, with_streak ? replaced_one : whole[known]);
      for (int n = 0; with_streak && n < CHECKS; n++)
        if (n < 2 || nth_check(n).check == RSAN_CHECK_STRONG_CAS)
          assert_int_equal(replaced_one[n], whole[known][n]);
    }
    assert_true(history.newest == STREAK);
    assert_true(history.newest_plain <= STREAK);
  }
  return replaced;
}

static void nor_when_the_next_ones_take_its_place(void **state) {
  (void)state;
  unsigned replaced = 0;
  for (unsigned code = 0; code < 1u << (2 * STREAK); code++)
    for (uint64_t known_below = 0; known_below < STREAK; known_below++)
      replaced += compare_replaced(code, known_below);
  assert_true(replaced > 0);
}

static enum rsan_fold fold_after_three(enum rsan_access_kind kind, uint64_t middle) {
  append(kind, 5);
  rmw(middle);
  rmw(7);
  return rsan_history_fold(&history, 0);
}
static void after_a_store_all_that_follows(void **state) {
  (void)state;
  assert_int_equal(fold_after_three(RSAN_WRITE, 6), RSAN_FOLDS_ALL);
}
static void after_two_values_read_modify_writes(void **state) {
  (void)state;
  assert_int_equal(fold_after_three(RSAN_RMW, 6), RSAN_FOLDS_READ_MODIFY_WRITES);
}
static void after_one_value_only_this(void **state) {
  (void)state;
  rmw(0);
  rmw(0);
  rmw(0);
  assert_int_equal(rsan_history_fold(&history, 0), RSAN_FOLDS_THIS);
}
static void while_somebody_waits_only_this(void **state) {
  (void)state;
  name(RSAN_EQUAL, 9);
  assert_int_equal(fold_after_three(RSAN_WRITE, 6), RSAN_FOLDS_THIS);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
static const struct CMUnitTest tests[] = {
    TEST(a_streak_of_stores_of_different_values),
    TEST(numbers_and_values_go_on_after_it),
    TEST(a_long_streak_keeps_two),
    TEST(somebody_may_know_the_version_before_it),
    TEST(or_one_between),
    TEST(nothing_tells_what_is_known),
    TEST(the_only_version),
    TEST(no_version),
    TEST(the_newest_is_gone_already),
    TEST(the_first_store_after_read_modify_writes),
    TEST(a_read_modify_write_after_them),
    TEST(a_store_after_a_store),
    TEST(the_first_that_overwrote_another_value),
    TEST(another_that_overwrote_the_same),
    TEST(another_after_it),
    TEST(a_wait_for_what_it_overwrote),
    TEST(a_wait_for_what_another_overwrote),
    TEST(a_wait_for_what_none_overwrote),
    TEST(a_wait_for_more_than_another_overwrote),
    TEST(a_wait_for_as_much_as_another_overwrote),
    TEST(two_waits_and_one_of_them_asks_for_it),
    TEST(a_store_that_follows_a_read_modify_write),
    TEST(a_store_that_follows_a_store),
    TEST(no_check_finds_anything_else),
    TEST(nor_when_the_next_ones_take_its_place),
    TEST(after_a_store_all_that_follows),
    TEST(after_two_values_read_modify_writes),
    TEST(after_one_value_only_this),
    TEST(while_somebody_waits_only_this),
};

int main(void) {
  return cmocka_run_group_tests(tests, NULL, NULL);
}
