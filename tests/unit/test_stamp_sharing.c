// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan/base/stamp.h: what shares a snapshot, when it is copied, how it grows.

#include "unit.h"

#include "limits.h"
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

static uint32_t references(const struct rsan_stamp *clock) {
  return atomic_load_explicit(&clock->base->references, memory_order_relaxed);
}

// --- who owns the entries ---

static void assign_shares_the_snapshot(void **state) {
  (void)state;
  stamp_set(&a, Q, 5);
  size_t blocks = rsan_host_live_blocks();
  rsan_stamp_assign(&c, &a);
  assert_ptr_equal(c.base, a.base);
  assert_int_equal(references(&a), 2);
  assert_int_equal(rsan_host_live_blocks(), blocks);
  STAMPS_EXPECT(&c, 1, 5);
}

static void assign_replaces_and_also_lowers(void **state) {
  (void)state;
  stamp_set(&a, Q, 5);
  stamp_set(&b, R, 5);
  rsan_stamp_assign(&c, &a);
  rsan_stamp_assign(&c, &b);
  STAMPS_EXPECT(&c, 0, 1, 5);
  assert_int_equal(references(&a), 1);
  assert_int_equal(references(&b), 2);
}

static void assign_to_itself_is_nothing(void **state) {
  (void)state;
  stamp_set(&a, Q, 5);
  rsan_stamp_assign(&a, &a);
  assert_int_equal(references(&a), 1);
  STAMPS_EXPECT(&a, 1, 5);
}

static void assign_moves_the_index_alone_on_the_same_base(void **state) {
  (void)state;
  stamp_set(&a, Q, 5);
  rsan_stamp_assign(&c, &a);
  a.index = 8;
  STAMPS_EXPECT(&c, 1, 5); // its own copy of it
  rsan_stamp_assign(&c, &a);
  assert_int_equal(references(&a), 2);
  STAMPS_EXPECT(&c, 8, 5);
}

static void assign_of_the_empty_clock(void **state) {
  (void)state;
  stamp_set(&a, Q, 5);
  rsan_stamp_assign(&a, &c);
  stamps_expect(&a, NULL, 0);
  assert_int_equal(rsan_host_live_blocks(), 0);
}

static void a_shared_base_is_copied_before_it_changes(void **state) {
  (void)state;
  stamp_set(&a, Q, 5);
  rsan_stamp_assign(&c, &a);
  const struct rsan_snapshot *released = c.base;
  b.index = 6;
  rsan_stamp_join(&a, &b);
  STAMPS_EXPECT(&a, 1, 6);
  STAMPS_EXPECT(&c, 1, 5);
  assert_ptr_equal(c.base, released);
  assert_ptr_not_equal(a.base, released);
  assert_int_equal(references(&a), 1);
  assert_int_equal(references(&c), 1);
}

static void a_base_of_ones_own_changes_in_place(void **state) {
  (void)state;
  stamp_set(&a, Q, 5);
  rsan_stamp_assign(&c, &a);
  rsan_stamp_clear(&c); // nobody shares it any more
  const struct rsan_snapshot *own = a.base;
  b.index = 6;
  rsan_stamp_join(&a, &b);
  assert_ptr_equal(a.base, own);
  STAMPS_EXPECT(&a, 1, 6);
}

static void nothing_is_copied_for_what_is_there(void **state) {
  (void)state;
  stamp_set(&a, Q, 5);
  rsan_stamp_assign(&c, &a);
  rsan_stamp_join(&a, &b);
  assert_ptr_equal(a.base, c.base);
}

static void the_last_holder_frees(void **state) {
  (void)state;
  stamp_set(&a, Q, 5);
  rsan_stamp_assign(&c, &a);
  rsan_stamp_assign(&b, &a);
  rsan_stamp_clear(&a);
  assert_int_equal(rsan_host_live_blocks(), 1);
  rsan_stamp_clear(&c);
  assert_int_equal(rsan_host_live_blocks(), 1);
  STAMPS_EXPECT(&b, 1, 5);
  rsan_stamp_clear(&b);
  assert_int_equal(rsan_host_live_blocks(), 0);
}

static void share_and_unshare_without_a_stamp(void **state) {
  (void)state;
  rsan_stamp_share(NULL);
  rsan_stamp_unshare(NULL);
  stamp_set(&a, Q, 5);
  rsan_stamp_share(a.base);
  assert_int_equal(references(&a), 2);
  rsan_stamp_unshare(a.base);
  assert_int_equal(references(&a), 1);
}

static void a_cleared_stamp_is_empty(void **state) {
  (void)state;
  stamp_set(&a, Q, 5);
  rsan_stamp_clear(&a);
  stamps_expect(&a, NULL, 0);
  assert_int_equal(rsan_host_live_blocks(), 0);
  rsan_stamp_clear(&a);
}

static void merge_into_a_shared_clock_leaves_the_other(void **state) {
  (void)state;
  stamp_set(&a, R, 2);
  rsan_stamp_assign(&c, &a);
  rsan_stamp_merge(&c, &b);
  STAMPS_EXPECT(&a, 1, 0, 2);
  assert_int_equal(references(&a), 1);
  struct rsan_stamp copy = {0};
  rsan_stamp_assign(&copy, &c); // a merged clock is shared like any other
  b.index = 3;
  rsan_stamp_merge(&c, &b);
  STAMPS_EXPECT(&copy, 1, 1, 2);
  STAMPS_EXPECT(&c, 1, 3, 2);
  rsan_stamp_clear(&copy);
}

// --- sizes ---

static void growing_keeps_the_entries(void **state) {
  (void)state;
  for (uint32_t i = 1; i < STAMPS_ENTRIES; i++) {
    struct rsan_stamp entry = {.thread = i, .index = 100 + i};
    assert_true(rsan_stamp_join(&a, &entry));
    for (uint32_t k = 1; k < STAMPS_ENTRIES; k++)
      assert_int_equal(rsan_stamp_get(&a, k), k <= i ? 100 + k : 0);
  }
  assert_true(a.base->size >= STAMPS_ENTRIES);
  assert_int_equal(rsan_host_live_blocks(), 1);
}

// With the head: sizes that hosts have blocks of. Twice as many entries take a few steps.
static void a_snapshot_starts_small_and_grows_by_some_steps(void **state) {
  static const uint32_t sizes[] = {7, 15, 31, 39, 47, 55, 63, 79, 95, 111, 127, 159};
  (void)state;
  assert_int_equal(sizes[0], RSAN_CLOCK_MIN_ENTRIES);
  for (uint32_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    stamp_set(&a, sizes[i] - 1, 1); // the last one that has room
    assert_int_equal(a.base->size, sizes[i]);
    stamp_set(&a, sizes[i], 1);
    assert_true(a.base->size > sizes[i]);
  }
}

static void a_shared_base_that_is_too_small_stays_as_it_is(void **state) {
  (void)state;
  stamp_set(&a, Q, 5);
  rsan_stamp_assign(&c, &a);
  struct rsan_stamp far = {.thread = 30, .index = 2};
  rsan_stamp_join(&a, &far);
  assert_int_equal(rsan_stamp_get(&a, 30), 2);
  assert_int_equal(rsan_stamp_get(&a, Q), 5);
  assert_int_equal(rsan_stamp_get(&c, 30), 0);
  assert_int_equal(c.base->size, RSAN_CLOCK_MIN_ENTRIES);
}

static void a_shorter_clock_is_joined_into_a_longer_one(void **state) {
  (void)state;
  stamp_set(&a, 30, 2);
  uint32_t size = a.base->size;
  assert_true(rsan_stamp_join(&a, &b));
  assert_int_equal(a.base->size, size);
  assert_int_equal(rsan_stamp_get(&a, 30), 2);
  assert_int_equal(rsan_stamp_get(&a, Q), 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
static const struct CMUnitTest tests[] = {
    TEST(assign_shares_the_snapshot),
    TEST(assign_replaces_and_also_lowers),
    TEST(assign_to_itself_is_nothing),
    TEST(assign_moves_the_index_alone_on_the_same_base),
    TEST(assign_of_the_empty_clock),
    TEST(a_shared_base_is_copied_before_it_changes),
    TEST(a_base_of_ones_own_changes_in_place),
    TEST(nothing_is_copied_for_what_is_there),
    TEST(the_last_holder_frees),
    TEST(share_and_unshare_without_a_stamp),
    TEST(a_cleared_stamp_is_empty),
    TEST(growing_keeps_the_entries),
    TEST(a_snapshot_starts_small_and_grows_by_some_steps),
    TEST(a_shared_base_that_is_too_small_stays_as_it_is),
    TEST(a_shorter_clock_is_joined_into_a_longer_one),
    TEST(merge_into_a_shared_clock_leaves_the_other),
};

int main(void) {
  return cmocka_run_group_tests(tests, NULL, NULL);
}
