// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan/lc/records.h: what a thread with a given happens-before view knows of a location.

#include "dies.h"

#include "lc/records.h"

static struct rsan_records records;
static struct rsan_clock view;

static int end(void **state) {
  (void)state;
  rsan_records_clear(&records);
  rsan_clock_clear(&view);
  return unit_check_memory();
}

static uint64_t known_at(uint32_t thread, uint64_t epoch) {
  rsan_clock_set(&view, thread, epoch);
  uint64_t known = rsan_records_known(&records, &view);
  rsan_clock_set(&view, thread, 0);
  return known;
}

static void without_records_only_version_0_is_known(void **state) {
  (void)state;
  assert_int_equal(known_at(3, 100), 0);
}

static void whoever_knows_the_epoch_knows_the_version(void **state) {
  (void)state;
  rsan_records_add(&records, 3, 5, 2);
  assert_int_equal(known_at(3, 5), 2);
  assert_int_equal(known_at(3, 100), 2);
  assert_int_equal(known_at(3, 4), 0);
  assert_int_equal(known_at(2, 5), 0); // of another thread
}

static void a_view_knows_the_newest_record_it_covers(void **state) {
  (void)state;
  for (uint64_t i = 1; i <= 20; i++)
    rsan_records_add(&records, 3, 10 * i, i);
  for (uint64_t epoch = 0; epoch <= 210; epoch++) {
    uint64_t expected = epoch / 10 < 20 ? epoch / 10 : 20;
    assert_int_equal(known_at(3, epoch), expected);
  }
}

static void a_later_version_in_the_same_epoch_replaces(void **state) {
  (void)state;
  rsan_records_add(&records, 3, 5, 2);
  rsan_records_add(&records, 3, 5, 4);
  assert_int_equal(known_at(3, 5), 4);
  assert_int_equal(records.lists[0].count, 1);
}

static void the_same_version_in_a_later_epoch_is_dropped(void **state) {
  (void)state;
  rsan_records_add(&records, 3, 5, 2);
  rsan_records_add(&records, 3, 6, 2);
  assert_int_equal(known_at(3, 5), 2);
  assert_int_equal(records.lists[0].count, 1);
}

static void version_0_leaves_no_record(void **state) {
  (void)state;
  rsan_records_add(&records, 3, 5, 0);
  assert_int_equal(rsan_host_live_blocks(), 0);
}

static void of_several_threads_the_newest_version_counts(void **state) {
  (void)state;
  for (uint32_t thread = 0; thread < 20; thread++)
    rsan_records_add(&records, thread, 1, 100 - thread);
  for (uint32_t thread = 0; thread < 20; thread++)
    assert_int_equal(known_at(thread, 1), 100 - thread);
  rsan_clock_set(&view, 7, 1);
  assert_int_equal(known_at(9, 1), 93);
  assert_int_equal(known_at(5, 1), 95);
}

// The base: what every thread knows.
static void the_base_is_known_without_a_record(void **state) {
  (void)state;
  records.base = 4;
  assert_int_equal(known_at(3, 0), 4);
  rsan_records_add(&records, 3, 5, 4);          // not above it: no record
  assert_int_equal(rsan_host_live_blocks(), 1); // the view
  rsan_records_add(&records, 3, 5, 6);
  assert_int_equal(known_at(3, 5), 6);
  assert_int_equal(known_at(3, 4), 4);
}

static void find_is_the_newest_record_up_to_an_epoch(void **state) {
  (void)state;
  for (uint64_t i = 1; i <= 9; i++)
    rsan_records_add(&records, 3, 10 * i, i);
  const struct rsan_record_list *list = &records.lists[0];
  assert_null(rsan_records_find(list, 9));
  assert_ptr_equal(rsan_records_find(list, 10), &list->at[0]);
  assert_ptr_equal(rsan_records_find(list, 59), &list->at[4]);
  assert_ptr_equal(rsan_records_find(list, 1000), &list->at[8]);
}

static void total_counts_the_records_of_all_threads(void **state) {
  (void)state;
  rsan_records_add(&records, 3, 5, 2);
  rsan_records_add(&records, 3, 5, 3); // replaces
  rsan_records_add(&records, 3, 6, 4);
  rsan_records_add(&records, 4, 1, 2);
  assert_int_equal(records.total, 3);
}

static void clear_forgets_and_frees(void **state) {
  (void)state;
  rsan_records_add(&records, 3, 5, 2);
  records.base = 1;
  rsan_records_clear(&records);
  assert_int_equal(known_at(3, 5), 0);
  rsan_clock_clear(&view);
  assert_int_equal(rsan_host_live_blocks(), 0);
  rsan_records_add(&records, 1, 1, 1);
  assert_int_equal(known_at(1, 1), 1);
}

#ifdef RSAN_VERIFY
static void add_record(void *record) {
  const struct rsan_record *added = record;
  rsan_records_add(&records, 3, added->epoch, added->version);
}

static void records_come_in_order(void **state) {
  (void)state;
  rsan_records_add(&records, 3, 5, 2);
  assert_false(dies(add_record, &(struct rsan_record){.epoch = 5, .version = 3}));
  assert_false(dies(add_record, &(struct rsan_record){.epoch = 6, .version = 3}));
  assert_true(dies(add_record, &(struct rsan_record){.epoch = 6, .version = 1}));
  assert_true(dies(add_record, &(struct rsan_record){.epoch = 4, .version = 3}));
}
#endif

int main(void) {
#define TEST(name) cmocka_unit_test_teardown(name, end)
  const struct CMUnitTest tests[] = {
      TEST(without_records_only_version_0_is_known),
      TEST(whoever_knows_the_epoch_knows_the_version),
      TEST(a_view_knows_the_newest_record_it_covers),
      TEST(a_later_version_in_the_same_epoch_replaces),
      TEST(the_same_version_in_a_later_epoch_is_dropped),
      TEST(version_0_leaves_no_record),
      TEST(of_several_threads_the_newest_version_counts),
      TEST(the_base_is_known_without_a_record),
      TEST(find_is_the_newest_record_up_to_an_epoch),
      TEST(total_counts_the_records_of_all_threads),
      TEST(clear_forgets_and_frees),
#ifdef RSAN_VERIFY
      TEST(records_come_in_order),
#endif
  };
#undef TEST
  return cmocka_run_group_tests(tests, NULL, NULL);
}
