// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan/lc/collect.h: what a location may forget. Thread P has written versions 1, 2, ... in its
// epochs 1, 2, ...; what of them is kept depends on what the others know.

#include "unit.h"

#include "lc/collect.h"

enum { P, Q, R, THREADS };
enum { VERSIONS = 3 * RSAN_COLLECT_KEPT };

static struct rsan_hb hb[THREADS];
static struct rsan_view view[THREADS];
static struct rsan_views views;
static struct rsan_history history;
static struct rsan_records records;
static struct rsan_counters counters;

static int begin(void **state) {
  (void)state;
  counters = (struct rsan_counters){0};
  for (uint32_t i = 0; i < THREADS; i++) {
    hb[i].index = i;
    rsan_clock_set(&hb[i].c, i, 1);
    view[i].hb = &hb[i];
    rsan_views_add(&views, &view[i]);
  }
  return 0;
}

static int end(void **state) {
  (void)state;
  for (uint32_t i = 0; i < THREADS; i++) {
    rsan_views_remove(&views, &view[i]);
    rsan_hb_clear(&hb[i]);
  }
  rsan_history_restart(&history, (struct rsan_value){0, 0});
  rsan_records_clear(&records);
  return views.first ? -1 : unit_check_memory();
}

// P writes `value`: version n in epoch n.
static void write_value(enum rsan_access_kind kind, uint64_t value) {
  struct rsan_access access = {.kind = kind, .written = {value, 0}};
  rsan_history_append(&history, &access, P, 0, history.newest + 1);
  rsan_records_add(&records, P, rsan_hb_epoch(&hb[P]), history.newest);
  rsan_hb_tick(&hb[P]);
}

static void write_all(void) {
  for (uint64_t i = 1; i <= VERSIONS; i++)
    write_value(RSAN_RMW, i);
}

static void collect(bool bounded) {
  rsan_collect(&history, &records, &views, bounded, &counters);
}

static bool has_version(uint64_t number) {
  for (uint32_t i = 0; i < history.count; i++)
    if (history.versions[i].number == number)
      return true;
  return false;
}

static uint64_t known(int thread) {
  return rsan_records_known(&records, &hb[thread].c);
}
static void knows(int thread, uint64_t epoch) {
  rsan_clock_set(&hb[thread].c, P, epoch);
}

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
  assert_int_equal(records.total, VERSIONS - 7);
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
  assert_int_equal(records.total, VERSIONS);
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

static void a_list_without_records_is_freed(void **state) {
  (void)state;
  write_all();
  rsan_records_add(&records, Q, 1, 3); // Q has read version 3
  rsan_clock_set(&hb[P].c, Q, 1);
  rsan_clock_set(&hb[R].c, Q, 1); // and all know it
  knows(Q, 4);
  knows(R, 4);
  assert_int_equal(records.count, 2);
  collect(false);
  assert_int_equal(records.count, 1);
  assert_int_equal(records.lists[0].thread, P);
}

static void when_all_is_known_nothing_is_left(void **state) {
  (void)state;
  write_all();
  knows(Q, VERSIONS);
  knows(R, VERSIONS);
  collect(true);
  assert_int_equal(history.count, 0);
  assert_int_equal(records.total, 0);
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

// --- bounded ---

static void bounded_keeps_the_last_records(void **state) {
  (void)state;
  write_all();
  collect(true);
  assert_int_equal(records.total, RSAN_COLLECT_KEPT);
  assert_int_equal(counters.count[RSAN_STAT_merged_records], VERSIONS - RSAN_COLLECT_KEPT);
  knows(Q, VERSIONS);
  assert_int_equal(known(Q), VERSIONS);
}

// A record that is merged goes up into the next one that is kept: who knew its version now counts
// as knowing more, never less.
static void merging_raises_what_is_known(void **state) {
  (void)state;
  write_all();
  collect(true);
  for (uint64_t epoch = 1; epoch <= VERSIONS; epoch++) {
    uint64_t oldest = VERSIONS - RSAN_COLLECT_KEPT + 1;
    knows(Q, epoch);
    assert_int_equal(known(Q), epoch < oldest ? oldest : epoch);
  }
}

static void the_record_of_a_live_view_is_kept(uint64_t *pinned) {
  write_all();
  rsan_clock_set(&hb[Q].c, P, pinned[0]);
  rsan_clock_set(&hb[Q].a, P, pinned[1]);
  rsan_clock_set(&hb[Q].r, P, pinned[2]);
  collect(true);
  for (unsigned i = 0; i < 3; i++) {
    knows(R, pinned[i]);
    assert_int_equal(known(R), pinned[i]);
  }
  assert_int_equal(records.total, RSAN_COLLECT_KEPT + 3);
}

static void records_of_live_views_are_kept(void **state) {
  (void)state;
  the_record_of_a_live_view_is_kept((uint64_t[]){3, 5, 9});
}

static void a_finished_threads_views_are_live(void **state) {
  (void)state;
  rsan_views_finish(&views, &view[Q]); // it may be joined
  the_record_of_a_live_view_is_kept((uint64_t[]){3, 5, 9});
}

static void a_freed_threads_views_are_not(void **state) {
  (void)state;
  write_all();
  knows(Q, 3);
  rsan_views_remove(&views, &view[Q]);
  collect(true);
  assert_int_equal(records.total, RSAN_COLLECT_KEPT);
  rsan_views_add(&views, &view[Q]);
}

static void bounded_keeps_the_last_versions(void **state) {
  (void)state;
  write_all();
  collect(true);
  for (uint64_t i = VERSIONS - RSAN_COLLECT_KEPT + 1; i <= VERSIONS; i++)
    assert_true(has_version(i));
}

// What a check by someone who knows version t can be about: t + 1 ...
static void the_first_version_after_a_kept_record_is_kept(void **state) {
  (void)state;
  write_all();
  knows(Q, 5);
  collect(true);
  assert_true(has_version(6));
  assert_false(has_version(5));
  assert_true(has_version(1)); // R knows version 0
  assert_true(counters.count[RSAN_STAT_dropped_versions] > 0);
}

// ... the first plain store after it ...
static void the_first_plain_store_is_kept(void **state) {
  (void)state;
  for (uint64_t i = 1; i <= VERSIONS; i++)
    write_value(i == 9 || i == 10 ? RSAN_WRITE : RSAN_RMW, i);
  knows(Q, 5);
  collect(true);
  assert_true(has_version(9));
  assert_false(has_version(10));
}

// ... the first that overwrote another value than t + 1 did (a strong compare-exchange fails) ...
static void the_first_of_another_value_is_kept(void **state) {
  (void)state;
  for (uint64_t i = 1; i <= VERSIONS; i++)
    write_value(RSAN_RMW, i < 8 ? 0 : i); // 0, 0, ... up to version 8, which overwrites 0
  collect(true);
  assert_true(has_version(1));
  assert_false(has_version(8));
  assert_true(has_version(9)); // overwrites 8
  assert_false(has_version(10));
}

// ... and for each value that someone waits for, the first that overwrote it, and the first plain
// one.
static void versions_of_a_critical_value_are_kept(bool critical) {
  for (uint64_t i = 1; i <= VERSIONS; i++)
    write_value(i == 2 || i == 11 ? RSAN_WRITE : RSAN_RMW, i % 5 == 0 ? 77 : i);
  // Versions 6 and 11 overwrote 77; 11 is a plain store, not the first one.
  if (critical)
    rsan_history_add_critical(&history, (struct rsan_value){77, 0});
  collect(true);
  assert_int_equal(has_version(6), critical);
  assert_int_equal(has_version(11), critical);
}

static void critical(void **state) {
  (void)state;
  versions_of_a_critical_value_are_kept(true);
}
static void not_critical(void **state) {
  (void)state;
  versions_of_a_critical_value_are_kept(false);
}

static void a_second_collection_finds_nothing_more(void **state) {
  (void)state;
  write_all();
  knows(Q, 5);
  collect(true);
  uint32_t count = history.count;
  uint64_t total = records.total, merged = counters.count[RSAN_STAT_merged_records];
  collect(true);
  assert_int_equal(history.count, count);
  assert_int_equal(records.total, total);
  assert_int_equal(counters.count[RSAN_STAT_merged_records], merged);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
static const struct CMUnitTest tests[] = {
    TEST(what_every_running_thread_knows_is_forgotten),
    TEST(nothing_while_one_running_thread_knows_nothing),
    TEST(a_finished_thread_does_not_count),
    TEST(the_base_never_falls),
    TEST(a_list_without_records_is_freed),
    TEST(when_all_is_known_nothing_is_left),
    TEST(exact_drops_nothing_that_can_be_asked_for),
    TEST(bounded_keeps_the_last_records),
    TEST(merging_raises_what_is_known),
    TEST(records_of_live_views_are_kept),
    TEST(a_finished_threads_views_are_live),
    TEST(a_freed_threads_views_are_not),
    TEST(bounded_keeps_the_last_versions),
    TEST(the_first_version_after_a_kept_record_is_kept),
    TEST(the_first_plain_store_is_kept),
    TEST(the_first_of_another_value_is_kept),
    TEST(critical),
    TEST(not_critical),
    TEST(a_second_collection_finds_nothing_more),
};

int main(void) {
  return cmocka_run_group_tests(tests, NULL, NULL);
}
