// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan/lc/records.h: what a thread with a given happens-before view knows of a location. Records
// come with rising versions, as the engine makes them.

#include "dies.h"

#include "lc/records.h"
#include "stamps.h"

// Records that the first block has room for.
enum { FIRST = RSAN_RECORDS_FIRST / sizeof(struct rsan_record) };

static struct rsan_records records;
static struct rsan_stamp view;

static int begin(void **state) {
  (void)state;
  view = (struct rsan_stamp){.thread = 1000}; // nobody's that has a record
  return 0;
}

static int end(void **state) {
  (void)state;
  rsan_records_clear(&records);
  rsan_stamp_clear(&view);
  return unit_check_memory();
}

static uint64_t known_at(uint32_t thread, uint64_t epoch) {
  stamp_set(&view, thread, epoch);
  uint64_t known = rsan_records_known(&records, &view);
  stamp_set(&view, thread, 0);
  return known;
}

// --- what is known ---

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

static void the_own_epoch_counts(void **state) {
  (void)state;
  view = (struct rsan_stamp){.thread = 3, .index = 5};
  rsan_records_add(&records, 3, 5, 2);
  assert_int_equal(rsan_records_known(&records, &view), 2);
  rsan_records_add(&records, 3, 6, 4);
  assert_int_equal(rsan_records_known(&records, &view), 2);
  view.index = 6;
  assert_int_equal(rsan_records_known(&records, &view), 4);
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

static void of_several_threads_the_newest_version_counts(void **state) {
  (void)state;
  for (uint32_t thread = 0; thread < 20; thread++)
    rsan_records_add(&records, thread, 1, 80 + thread);
  for (uint32_t thread = 0; thread < 20; thread++)
    assert_int_equal(known_at(thread, 1), 80 + thread);
  stamp_set(&view, 7, 1);
  assert_int_equal(known_at(5, 1), 87);
  assert_int_equal(known_at(9, 1), 89);
}

// Two threads in turns: who knows an old epoch of one and a new one of the other.
static void records_of_two_threads_in_turns(void **state) {
  (void)state;
  for (uint64_t i = 1; i <= 20; i++)
    rsan_records_add(&records, i % 2 ? 3 : 4, i, i);
  stamp_set(&view, 3, 5);
  assert_int_equal(known_at(4, 4), 5);
  assert_int_equal(known_at(4, 12), 12);
  assert_int_equal(known_at(4, 13), 12);
}

static void a_merged_view_is_asked_like_any_other(void **state) {
  (void)state;
  struct rsan_stamp one = {.thread = 3, .index = 5}, other = {.thread = 4, .index = 6};
  rsan_records_add(&records, 3, 5, 2);
  rsan_records_add(&records, 4, 7, 3);
  rsan_stamp_merge(&view, &one);
  rsan_stamp_merge(&view, &other);
  assert_int_equal(rsan_records_known(&records, &view), 2);
}

// --- what is added ---

static void a_later_version_in_the_same_epoch_replaces(void **state) {
  (void)state;
  rsan_records_add(&records, 3, 5, 2);
  rsan_records_add(&records, 3, 5, 4);
  assert_int_equal(known_at(3, 5), 4);
  assert_int_equal(records.count, 1);
}

// The other's record stands between: the older one stays, and is never the first that is found.
static void not_if_another_thread_came_between(void **state) {
  (void)state;
  rsan_records_add(&records, 3, 5, 2);
  rsan_records_add(&records, 4, 1, 2);
  rsan_records_add(&records, 3, 5, 4);
  assert_int_equal(records.count, 3);
  assert_int_equal(known_at(3, 5), 4);
  assert_int_equal(known_at(4, 1), 2);
}

static void an_epoch_has_a_record_of_its_own(void **state) {
  (void)state;
  rsan_records_add(&records, 3, 5, 2);
  rsan_records_add(&records, 3, 6, 4);
  assert_int_equal(records.count, 2);
  assert_int_equal(known_at(3, 5), 2);
  assert_int_equal(known_at(3, 6), 4);
}

static void version_0_leaves_no_record(void **state) {
  (void)state;
  rsan_records_add(&records, 3, 5, 0);
  assert_int_equal(records.count, 0);
}

// The base: what every thread knows.
static void the_base_is_known_without_a_record(void **state) {
  (void)state;
  records.base = 4;
  assert_int_equal(known_at(3, 0), 4);
  rsan_records_add(&records, 3, 5, 4); // not above it: no record
  assert_int_equal(records.count, 0);
  rsan_records_add(&records, 3, 5, 6);
  assert_int_equal(records.count, 1);
  assert_int_equal(known_at(3, 5), 6);
  assert_int_equal(known_at(3, 4), 4);
}

static void without_any_it_needs_no_memory(void **state) {
  (void)state;
  assert_int_equal(known_at(1, 1), records.base);
  assert_int_equal(rsan_host_live_blocks(), 0);
  for (uint32_t i = 1; i <= FIRST; i++)
    rsan_records_add(&records, i, 1, i);
  rsan_records_add(&records, 9, 1, 9);
  assert_int_equal(rsan_host_live_blocks(), 1);
  assert_int_equal(known_at(1, 1), 1);
  assert_int_equal(known_at(FIRST, 1), FIRST);
  assert_int_equal(known_at(9, 1), 9);
}

static void growing_keeps_the_records(void **state) {
  (void)state;
  for (uint64_t i = 1; i <= 100; i++)
    rsan_records_add(&records, (uint32_t)i, i, i);
  assert_int_equal(records.count, 100);
  assert_int_equal(rsan_host_live_blocks(), 1);
  for (uint64_t i = 1; i <= 100; i++)
    assert_int_equal(known_at((uint32_t)i, i), i);
}

// --- advance: an epoch that nobody has seen ---

static void a_record_of_an_unseen_epoch_becomes_one_of_the_next(void **state) {
  (void)state;
  rsan_records_add(&records, 3, 5, 7);
  rsan_records_advance(&records, 3, 5);
  assert_int_equal(known_at(3, 5), 0);
  assert_int_equal(known_at(3, 6), 7);
  rsan_records_add(&records, 3, 6, 8); // in which it is replaced
  assert_int_equal(records.count, 1);
  assert_int_equal(known_at(3, 6), 8);
}

static void others_stay(void **state) {
  (void)state;
  rsan_records_add(&records, 3, 5, 7);
  rsan_records_advance(&records, 3, 4); // of another epoch
  rsan_records_advance(&records, 4, 5); // of another thread
  assert_int_equal(known_at(3, 5), 7);
  rsan_records_add(&records, 4, 1, 7);
  rsan_records_advance(&records, 3, 5); // not the newest
  assert_int_equal(known_at(3, 5), 7);
}

static void without_records_nothing_advances(void **state) {
  (void)state;
  rsan_records_advance(&records, 3, 5);
  assert_int_equal(records.count, 0);
}

// --- known_below: where nobody's knowledge can end ---

static uint64_t below(uint32_t thread, uint64_t epoch) {
  return rsan_records_known_below(&records, thread, epoch);
}

static void what_the_others_know_of_a_streak_of_writes(void **state) {
  (void)state;
  rsan_records_add(&records, 4, 1, 2);
  rsan_records_add(&records, 3, 5, 7); // versions 3 to 7
  assert_true(below(3, 5) == 2);
}

static void another_epoch_of_the_thread_is_another_view(void **state) {
  (void)state;
  rsan_records_add(&records, 3, 4, 6);
  rsan_records_add(&records, 3, 5, 7);
  assert_true(below(3, 5) == 6);
}

static void with_one_record_it_is_the_base(void **state) {
  (void)state;
  rsan_records_add(&records, 3, 5, 7);
  assert_true(below(3, 5) == 0);
  records.base = 1;
  assert_true(below(3, 5) == 1);
}

static void in_a_later_epoch_there_is_no_streak(void **state) {
  (void)state;
  rsan_records_add(&records, 3, 5, 7);
  assert_true(below(3, 6) == UINT64_MAX);
}

static void after_another_threads_record_there_is_none(void **state) {
  (void)state;
  rsan_records_add(&records, 3, 5, 7);
  rsan_records_add(&records, 4, 5, 7);
  assert_true(below(3, 5) == UINT64_MAX);
  assert_true(below(4, 5) == 7);
}

// As many as a block of 64, 128, 256, ... bytes holds.
static void room_is_that_of_a_block(void **state) {
  (void)state;
  uint32_t bytes = RSAN_RECORDS_FIRST;
  for (uint32_t i = 1; i <= 200; i++) {
    rsan_records_add(&records, i, 1, i);
    if (i * sizeof *records.at > bytes)
      bytes *= 2;
    assert_int_equal(records.room, bytes / sizeof *records.at);
  }
}

static void without_records_there_is_none(void **state) {
  (void)state;
  assert_true(below(3, 5) == UINT64_MAX);
}

// --- the end ---

static void clear_forgets_and_frees(void **state) {
  (void)state;
  for (uint32_t i = 1; i <= 2 * FIRST; i++)
    rsan_records_add(&records, i, 1, i);
  records.base = 1;
  rsan_records_clear(&records);
  assert_int_equal(rsan_host_live_blocks(), 0);
  assert_int_equal(known_at(3, 5), 0);
  rsan_records_add(&records, 1, 1, 1);
  assert_int_equal(known_at(1, 1), 1);
}

#ifdef RSAN_VERIFY
static void add_record(void *record) {
  const struct rsan_record *added = record;
  rsan_records_add(&records, added->thread, added->epoch, added->version);
}

static void records_come_in_order(void **state) {
  (void)state;
  rsan_records_add(&records, 3, 5, 2);
  assert_false(dies(add_record, &(struct rsan_record){.thread = 3, .epoch = 5, .version = 3}));
  assert_false(dies(add_record, &(struct rsan_record){.thread = 4, .epoch = 1, .version = 2}));
  assert_true(dies(add_record, &(struct rsan_record){.thread = 3, .epoch = 6, .version = 1}));
  assert_true(dies(add_record, &(struct rsan_record){.thread = 4, .epoch = 1, .version = 1}));
}
#endif

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
static const struct CMUnitTest tests[] = {
    TEST(without_records_only_version_0_is_known),
    TEST(whoever_knows_the_epoch_knows_the_version),
    TEST(the_own_epoch_counts),
    TEST(a_view_knows_the_newest_record_it_covers),
    TEST(of_several_threads_the_newest_version_counts),
    TEST(records_of_two_threads_in_turns),
    TEST(a_merged_view_is_asked_like_any_other),
    TEST(a_later_version_in_the_same_epoch_replaces),
    TEST(not_if_another_thread_came_between),
    TEST(an_epoch_has_a_record_of_its_own),
    TEST(version_0_leaves_no_record),
    TEST(the_base_is_known_without_a_record),
    TEST(without_any_it_needs_no_memory),
    TEST(growing_keeps_the_records),
    TEST(a_record_of_an_unseen_epoch_becomes_one_of_the_next),
    TEST(others_stay),
    TEST(without_records_nothing_advances),
    TEST(what_the_others_know_of_a_streak_of_writes),
    TEST(another_epoch_of_the_thread_is_another_view),
    TEST(with_one_record_it_is_the_base),
    TEST(in_a_later_epoch_there_is_no_streak),
    TEST(after_another_threads_record_there_is_none),
    TEST(without_records_there_is_none),
    TEST(room_is_that_of_a_block),
    TEST(clear_forgets_and_frees),
#ifdef RSAN_VERIFY
    TEST(records_come_in_order),
#endif
};

int main(void) {
  return cmocka_run_group_tests(tests, NULL, NULL);
}
