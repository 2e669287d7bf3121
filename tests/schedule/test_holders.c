// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan/schedule/holders.h: who may take a lock, for writing and for reading.

#include "unit.h"

#include "host.h"
#include "schedule/holders.h"

static struct rsan_holders h;

static int end(void **state) {
  (void)state;
  rsan_host_free(h.holder);
  h = (struct rsan_holders){0};
  return unit_check_memory();
}

static void a_lock_is_had_by_one(void **state) {
  (void)state;
  assert_true(rsan_holders_may_take(&h, 1, 5, true));
  assert_null(rsan_holders_find(&h, 1));
  rsan_holders_take(&h, 1, 5, true);
  assert_false(rsan_holders_may_take(&h, 1, 6, true));
  assert_false(rsan_holders_may_take(&h, 1, 6, false));
  assert_true(rsan_holders_may_take(&h, 2, 6, true)); // another one
  assert_int_equal(rsan_holders_find(&h, 1)->owner, 5);
  assert_true(rsan_holders_find(&h, 1)->writes);
  rsan_holders_give(&h, 1);
  assert_true(rsan_holders_may_take(&h, 1, 6, true));
  assert_null(rsan_holders_find(&h, 1));
}

// Its owner is told by the lock itself what comes of that.
static void its_owner_may_take_it_again(void **state) {
  (void)state;
  rsan_holders_take(&h, 1, 5, true);
  assert_true(rsan_holders_may_take(&h, 1, 5, true));
  assert_true(rsan_holders_may_take(&h, 1, 5, false));
  rsan_holders_take(&h, 1, 5, true);
  rsan_holders_give(&h, 1);
  assert_false(rsan_holders_may_take(&h, 1, 6, true));
  rsan_holders_give(&h, 1);
  assert_true(rsan_holders_may_take(&h, 1, 6, true));
}

static void readers_share_it(void **state) {
  (void)state;
  rsan_holders_take(&h, 1, 5, false);
  assert_true(rsan_holders_may_take(&h, 1, 6, false));
  assert_false(rsan_holders_may_take(&h, 1, 6, true));
  rsan_holders_take(&h, 1, 6, false);
  assert_false(rsan_holders_find(&h, 1)->writes);
  rsan_holders_give(&h, 1);
  assert_false(rsan_holders_may_take(&h, 1, 7, true)); // one is left
  assert_true(rsan_holders_may_take(&h, 1, 7, false));
  rsan_holders_give(&h, 1);
  assert_true(rsan_holders_may_take(&h, 1, 7, true));
}

// A reader that wants to write waits, for itself as well.
static void a_reader_does_not_become_a_writer(void **state) {
  (void)state;
  rsan_holders_take(&h, 1, 5, false);
  assert_false(rsan_holders_may_take(&h, 1, 5, true));
  assert_true(rsan_holders_may_take(&h, 1, 5, false));
}

static void who_has_many_is_not_mixed_up(void **state) {
  (void)state;
  enum { MANY = 100 };
  for (uint64_t i = 0; i < MANY; i++)
    rsan_holders_take(&h, 10 + i, (uint32_t)i, i % 2);
  // In another order than they were taken.
  for (uint64_t i = 0; i < MANY; i += 3)
    rsan_holders_give(&h, 10 + i);
  for (uint64_t i = 0; i < MANY; i++) {
    const struct rsan_holder *holder = rsan_holders_find(&h, 10 + i);
    assert_int_equal(!holder, i % 3 == 0);
    assert_true(!holder || (holder->owner == i && holder->writes == i % 2));
  }
  for (uint64_t i = 0; i < MANY; i++)
    if (i % 3)
      rsan_holders_give(&h, 10 + i);
  assert_int_equal(h.count, 0);
}

// It was taken where nobody saw it.
static void what_nobody_holds_may_be_given(void **state) {
  (void)state;
  rsan_holders_give(&h, 1);
  rsan_holders_take(&h, 2, 5, true);
  rsan_holders_give(&h, 1);
  assert_false(rsan_holders_may_take(&h, 2, 6, true));
}

#define TEST(name) cmocka_unit_test_teardown(name, end)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(a_lock_is_had_by_one),
      TEST(its_owner_may_take_it_again),
      TEST(readers_share_it),
      TEST(a_reader_does_not_become_a_writer),
      TEST(who_has_many_is_not_mixed_up),
      TEST(what_nobody_holds_may_be_given),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
