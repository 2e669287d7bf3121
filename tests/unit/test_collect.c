// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan/memory/collect.h: the base, which every thread knows, and versions and records that may be
// forgotten without missing a violation. test_collect_bounded.c has what history=bounded gives up.

#include "collect_script.h"

// --- the base ---

static void what_every_running_thread_knows_is_forgotten(void **state) {
  (void)state;
  write_all();
  knows(Q, 10);
  knows(R, 7);
  collect(false);
  assert_int_equal(records.base, 7);
  assert_false(has_version(7));
  assert_true(has_version(8));
  assert_int_equal(history.count, VERSIONS - 7);
  assert_int_equal(records.count, VERSIONS - 7);
  assert_int_equal(known(P), VERSIONS);
  assert_int_equal(known(Q), 10);
  assert_int_equal(known(R), 7);
}

static void nothing_while_one_running_thread_knows_nothing(void **state) {
  (void)state;
  write_all();
  knows(Q, 10);
  collect(false);
  assert_int_equal(records.base, 0);
  assert_int_equal(history.count, VERSIONS);
  assert_int_equal(records.count, VERSIONS);
  assert_int_equal(known(R), 0);
}

static void a_finished_thread_does_not_count(void **state) {
  (void)state;
  write_all();
  knows(Q, 10);
  rsan_views_finish(&views, &view[R]);
  collect(false);
  assert_int_equal(records.base, 10);
}

static void nor_does_a_freed_one(void **state) {
  (void)state;
  write_all();
  knows(R, 10);
  rsan_views_remove(&views, &view[Q]); // between the others
  collect(false);
  assert_int_equal(records.base, 10);
  rsan_views_remove(&views, &view[P]); // the last
  rsan_views_remove(&views, &view[R]);
  assert_null(views.first);
}

static void nor_does_it_if_it_knows_more(void **state) {
  (void)state;
  write_all();
  knows(Q, 10);
  knows(R, 12);
  rsan_views_finish(&views, &view[Q]);
  collect(false);
  assert_int_equal(records.base, 12);
}

// Va and Vr are what a thread may come to know, and what others may learn from it: not what it
// knows.
static void other_views_raise_no_base(void **state) {
  (void)state;
  write_all();
  knows(Q, 10);
  stamp_set(&hb[R].a, P, 10);
  collect(false);
  assert_int_equal(records.base, 0);
}

static void without_running_threads_it_stays(void **state) {
  (void)state;
  write_all();
  for (int i = 0; i < THREADS; i++)
    rsan_views_finish(&views, &view[i]);
  collect(false);
  assert_int_equal(records.base, 0);
  assert_int_equal(history.count, VERSIONS);
}

static void the_base_never_falls(void **state) {
  (void)state;
  write_all();
  knows(Q, 10);
  knows(R, 7);
  collect(false);
  knows(R, 3);
  collect(false);
  assert_int_equal(records.base, 7);
}

// A thread may know a version by another's record than the writer's.
static void the_base_goes_by_what_is_known_not_by_whom(void **state) {
  (void)state;
  for (uint64_t i = 1; i <= 5; i++)
    write_value(RSAN_RMW, i);
  read_by_q(); // version 5
  knows(Q, 5);
  knows_q(R, 1); // and nothing of P
  collect(false);
  assert_int_equal(records.base, 5);
}

static void records_of_the_base_are_gone_whosever_they_are(void **state) {
  (void)state;
  for (uint64_t i = 1; i <= 3; i++)
    write_value(RSAN_RMW, i);
  read_by_q(); // version 3
  for (uint64_t i = 4; i <= 5; i++)
    write_value(RSAN_RMW, i);
  knows(Q, 4);
  knows(R, 4);
  assert_int_equal(records.count, 6);
  collect(false);
  assert_int_equal(records.base, 4);
  assert_int_equal(records.count, 1);
  assert_int_equal(records.at[0].thread, P);
  assert_int_equal(records.at[0].version, 5);
}

static void when_all_is_known_nothing_is_left(void **state) {
  (void)state;
  write_all();
  knows(Q, VERSIONS);
  knows(R, VERSIONS);
  collect(true);
  assert_int_equal(history.count, 0);
  assert_int_equal(records.count, 0);
  assert_int_equal(known(R), VERSIONS);
  assert_int_equal(history.newest, VERSIONS);
}

static void exact_drops_nothing_that_can_be_asked_for(void **state) {
  (void)state;
  write_all();
  collect(false);
  assert_int_equal(counters.count[RSAN_STAT_merged_records], 0);
  assert_int_equal(counters.count[RSAN_STAT_dropped_versions], 0);
}

// --- a thread whose clock is being replaced ---

static bool try_to_collect(void) {
  return rsan_collect(&history, &records, &views, true, false, UINT64_MAX, &counters);
}

static void a_moving_clock_is_not_waited_for(void **state) {
  (void)state;
  write_all();
  knows(Q, 10);
  knows(R, 7);
  rsan_lock(&hb[Q].moving);
  assert_false(try_to_collect());
  assert_int_equal(records.base, 0);
  assert_int_equal(records.count, VERSIONS);
  assert_int_equal(history.count, VERSIONS);
  assert_int_equal(known(R), 7);
  for (int i = 0; i < THREADS; i++)
    assert_int_equal(atomic_load(&hb[i].moving.held), i == Q);
}

static void one_that_stands_is_looked_at(void **state) {
  (void)state;
  write_all();
  knows(Q, 10);
  knows(R, 7);
  rsan_lock(&hb[Q].moving);
  assert_false(try_to_collect());
  rsan_unlock(&hb[Q].moving);
  assert_true(try_to_collect());
  assert_int_equal(records.base, 7);
  for (int i = 0; i < THREADS; i++)
    assert_false(atomic_load(&hb[i].moving.held));
  rsan_lock_alone(&views.lock); // is free
}

// --- superseded records: of the same thread and epoch there is a newer one ---

static void add(uint32_t thread, uint64_t epoch, uint64_t version) {
  rsan_records_add(&records, thread, epoch, version);
}

static void a_superseded_record_goes(void **state) {
  (void)state;
  add(P, 1, 1);
  add(Q, 1, 1);
  add(P, 1, 2);
  assert_int_equal(records.count, 3);
  collect(false);
  assert_int_equal(records.count, 2);
  assert_int_equal(records.at[0].thread, Q);
  assert_int_equal(records.at[1].thread, P);
  knows(R, 1);
  assert_int_equal(known(R), 2);
  assert_int_equal(counters.count[RSAN_STAT_merged_records], 0); // nothing was given up
}

static void a_record_of_another_epoch_stays(void **state) {
  (void)state;
  add(P, 1, 1);
  add(Q, 1, 1);
  add(P, 2, 2);
  collect(false);
  assert_int_equal(records.count, 3);
  knows(R, 1);
  assert_int_equal(known(R), 1);
}

static void of_many_in_one_epoch_the_last_stays(void **state) {
  (void)state;
  for (uint64_t i = 1; i <= 50; i++)
    add(i % 2 ? P : Q, 1, i);
  collect(false);
  assert_int_equal(records.count, 2);
  knows(R, 1);
  assert_int_equal(known(R), 49);
  knows_q(R, 1);
  assert_int_equal(known(R), 50);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, script_begin, script_end)
static const struct CMUnitTest tests[] = {
    TEST(what_every_running_thread_knows_is_forgotten),
    TEST(nothing_while_one_running_thread_knows_nothing),
    TEST(a_finished_thread_does_not_count),
    TEST(nor_does_a_freed_one),
    TEST(nor_does_it_if_it_knows_more),
    TEST(other_views_raise_no_base),
    TEST(without_running_threads_it_stays),
    TEST(the_base_never_falls),
    TEST(the_base_goes_by_what_is_known_not_by_whom),
    TEST(records_of_the_base_are_gone_whosever_they_are),
    TEST(when_all_is_known_nothing_is_left),
    TEST(exact_drops_nothing_that_can_be_asked_for),
    TEST(a_moving_clock_is_not_waited_for),
    TEST(one_that_stands_is_looked_at),
    TEST(a_superseded_record_goes),
    TEST(a_record_of_another_epoch_stays),
    TEST(of_many_in_one_epoch_the_last_stays),
};

int main(void) {
  return cmocka_run_group_tests(tests, NULL, NULL);
}
