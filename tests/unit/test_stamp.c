// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan/base/stamp.h: clocks as values, and the one comparison that stands for a join.
// test_stamp_sharing.c tests the ownership of the entries.

#include "unit.h"

#include "stamps.h"

enum { P, Q, R };

static struct rsan_stamp a, b, c;

// Two threads' clocks and an object's, which is empty.
static int begin(void **state) {
  (void)state;
  a = (struct rsan_stamp){.thread = P, .index = 1};
  b = (struct rsan_stamp){.thread = Q, .index = 1};
  return 0;
}

static int end(void **state) {
  (void)state;
  rsan_stamp_clear(&a);
  rsan_stamp_clear(&b);
  rsan_stamp_clear(&c);
  return unit_check_memory();
}

// --- entries ---

static void a_zeroed_stamp_is_the_empty_clock(void **state) {
  (void)state;
  stamps_expect(&c, NULL, 0);
  assert_int_equal(rsan_stamp_get(&c, UINT32_MAX - 1), 0);
  assert_int_equal(rsan_host_live_blocks(), 0);
}

static void a_threads_own_entry_needs_no_memory(void **state) {
  (void)state;
  STAMPS_EXPECT(&a, 1);
  STAMPS_EXPECT(&b, 0, 1);
  assert_int_equal(rsan_host_live_blocks(), 0);
}

// What a base has at the thread's own place is from before, and not looked at.
static void the_own_entry_stands_beside_the_base(void **state) {
  (void)state;
  stamp_set(&b, P, 1);
  rsan_stamp_join(&a, &b);
  a.index = 9;
  STAMPS_EXPECT(&a, 9, 1);
  a.index = 0;
  STAMPS_EXPECT(&a, 0, 1);
}

static void entries_have_64_bits(void **state) {
  (void)state;
  b.index = UINT64_MAX;
  rsan_stamp_join(&a, &b);
  assert_true(rsan_stamp_get(&a, Q) == UINT64_MAX);
}

// --- join: into a thread's clock ---

static void join_is_the_pointwise_maximum(void **state) {
  (void)state;
  stamp_set(&a, Q, 5);
  stamp_set(&a, R, 2);
  stamp_set(&b, R, 7);
  b.index = 3;
  assert_true(rsan_stamp_join(&a, &b));
  STAMPS_EXPECT(&a, 1, 5, 7);
  STAMPS_EXPECT(&b, 0, 3, 7); // the source stays
}

static void join_says_whether_anything_changed(void **state) {
  (void)state;
  assert_true(rsan_stamp_join(&a, &b));
  assert_false(rsan_stamp_join(&a, &b));
  b.index = 2;
  assert_true(rsan_stamp_join(&a, &b));
  assert_false(rsan_stamp_join(&a, &c)); // nothing in it
}

static void join_leaves_the_own_entry(void **state) {
  (void)state;
  stamp_set(&b, P, 99);
  assert_true(rsan_stamp_join(&a, &b)); // for Q's entry
  STAMPS_EXPECT(&a, 1, 1);
  stamp_set(&b, P, 100);
  assert_false(rsan_stamp_join(&a, &b));
}

static void join_takes_from_a_merged_clock(void **state) {
  (void)state;
  rsan_stamp_merge(&c, &b);
  assert_true(rsan_stamp_join(&a, &c));
  STAMPS_EXPECT(&a, 1, 1);
}

static void join_of_two_that_share_a_base(void **state) {
  (void)state;
  stamp_set(&a, R, 4);
  rsan_stamp_assign(&c, &a);
  b.index = 6;
  rsan_stamp_join(&a, &b);
  assert_true(rsan_stamp_join(&c, &a)); // c is P's, too: its own entry stays
  STAMPS_EXPECT(&c, 1, 6, 4);
}

// --- merge: into an object's clock ---

static void merge_is_the_pointwise_maximum_of_all(void **state) {
  (void)state;
  a.index = 4;
  stamp_set(&a, R, 2);
  stamp_set(&b, R, 7);
  rsan_stamp_assign(&c, &a);
  rsan_stamp_merge(&c, &b);
  STAMPS_EXPECT(&c, 4, 1, 7);
  assert_int_equal(c.thread, RSAN_MERGED);
  STAMPS_EXPECT(&a, 4, 0, 2);
  STAMPS_EXPECT(&b, 0, 1, 7);
  rsan_stamp_merge(&c, &a);
  STAMPS_EXPECT(&c, 4, 1, 7);
}

// An object's clock belongs to none: P's entry may rise.
static void merge_raises_the_entry_of_the_one_who_was_there(void **state) {
  (void)state;
  rsan_stamp_assign(&c, &a);
  stamp_set(&b, P, 9);
  rsan_stamp_merge(&c, &b);
  STAMPS_EXPECT(&c, 9, 1);
}

static void merge_with_an_empty_clock(void **state) {
  (void)state;
  struct rsan_stamp empty = {0};
  rsan_stamp_merge(&c, &empty);
  stamps_expect(&c, NULL, 0);
  assert_int_equal(c.thread, RSAN_MERGED);
  assert_int_equal(rsan_host_live_blocks(), 0);
  rsan_stamp_merge(&c, &a);
  rsan_stamp_merge(&c, &empty);
  STAMPS_EXPECT(&c, 1);
}

// --- covers: entry by entry ---

static void covers_means_nowhere_below(void **state) {
  (void)state;
  assert_true(rsan_stamp_is_at_least(&c, &c));
  assert_true(rsan_stamp_is_at_least(&a, &c));
  assert_false(rsan_stamp_is_at_least(&c, &a));
  assert_false(rsan_stamp_is_at_least(&a, &b)); // Q's own entry
  rsan_stamp_join(&a, &b);
  assert_true(rsan_stamp_is_at_least(&a, &b));
  stamp_set(&b, R, 1);
  assert_false(rsan_stamp_is_at_least(&a, &b));
  stamp_set(&b, P, 2);
  stamp_set(&a, R, 1);
  assert_false(rsan_stamp_is_at_least(&a, &b)); // a's own entry counts
  a.index = 2;
  assert_true(rsan_stamp_is_at_least(&a, &b));
}

static void covers_compares_clocks_of_different_length(void **state) {
  (void)state;
  stamp_set(&b, 30, 1);
  assert_false(rsan_stamp_is_at_least(&a, &b));
  stamp_set(&a, 30, 1);
  stamp_set(&a, Q, 1);
  stamp_set(&a, 35, 1);
  assert_true(rsan_stamp_is_at_least(&a, &b));
  struct rsan_stamp far = {.thread = 39, .index = 1}; // an own entry beyond its base
  assert_false(rsan_stamp_is_at_least(&a, &far));
  stamp_set(&a, 39, 1);
  assert_true(rsan_stamp_is_at_least(&a, &far));
}

// --- has: one comparison ---

static void covers_asks_for_the_releasers_entry(void **state) {
  (void)state;
  b.index = 5;
  stamp_set(&a, Q, 4);
  assert_false(rsan_stamp_covers(&a, &b));
  stamp_set(&a, Q, 5);
  assert_true(rsan_stamp_covers(&a, &b));
  stamp_set(&a, Q, 6);
  assert_true(rsan_stamp_covers(&a, &b));
}

// It compares one entry alone: stamps that a thread releases with the same index are equal.
static void has_looks_at_no_other_entry(void **state) {
  (void)state;
  stamp_set(&b, R, 7);
  stamp_set(&a, Q, 1);
  assert_true(rsan_stamp_covers(&a, &b));
  assert_false(rsan_stamp_is_at_least(&a, &b));
}

static void what_a_merged_clock_has_takes_a_join_to_know(void **state) {
  (void)state;
  rsan_stamp_merge(&c, &b);
  rsan_stamp_join(&a, &c);
  assert_false(rsan_stamp_covers(&a, &c)); // it does, and one entry does not tell
  assert_true(rsan_stamp_is_at_least(&a, &c));
  assert_true(rsan_stamp_covers(&c, &b)); // a merged clock can be asked
  b.index = 2;
  assert_false(rsan_stamp_covers(&c, &b));
}

static void everybody_has_the_empty_clocks(void **state) {
  (void)state;
  struct rsan_stamp empty = {0}, merged = {.thread = RSAN_MERGED};
  assert_true(rsan_stamp_covers(&a, &empty));
  assert_true(rsan_stamp_covers(&a, &merged));
  assert_true(rsan_stamp_covers(&empty, &merged));
  assert_false(rsan_stamp_covers(&empty, &a));
  assert_false(rsan_stamp_covers(&merged, &a));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
static const struct CMUnitTest tests[] = {
    TEST(a_zeroed_stamp_is_the_empty_clock),
    TEST(a_threads_own_entry_needs_no_memory),
    TEST(the_own_entry_stands_beside_the_base),
    TEST(entries_have_64_bits),
    TEST(join_is_the_pointwise_maximum),
    TEST(join_says_whether_anything_changed),
    TEST(join_leaves_the_own_entry),
    TEST(join_takes_from_a_merged_clock),
    TEST(join_of_two_that_share_a_base),
    TEST(merge_is_the_pointwise_maximum_of_all),
    TEST(merge_raises_the_entry_of_the_one_who_was_there),
    TEST(merge_with_an_empty_clock),
    TEST(covers_means_nowhere_below),
    TEST(covers_compares_clocks_of_different_length),
    TEST(covers_asks_for_the_releasers_entry),
    TEST(has_looks_at_no_other_entry),
    TEST(what_a_merged_clock_has_takes_a_join_to_know),
    TEST(everybody_has_the_empty_clocks),
};

int main(void) {
  return cmocka_run_group_tests(tests, NULL, NULL);
}
