// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan/memory/collect.h, history=bounded: which records are merged upward, which versions are
// dropped.

#include "collect_script.h"

// --- records ---

static void bounded_keeps_the_last_records(void **state) {
  (void)state;
  write_all();
  collect(true);
  assert_int_equal(records.count, RSAN_COLLECT_KEPT);
  assert_int_equal(counters.count[RSAN_STAT_merged_records], VERSIONS - RSAN_COLLECT_KEPT);
  knows(Q, VERSIONS);
  assert_int_equal(known(Q), VERSIONS);
}

static void of_each_thread(void **state) {
  (void)state;
  for (uint64_t i = 1; i <= VERSIONS; i++) {
    write_value(RSAN_RMW, i);
    read_by_q();
    rsan_hb_tick(&hb[Q]);
  }
  collect(true);
  // Q knows its own records; P's are below what it knows. P and R keep P's last, and Q's.
  assert_int_equal(records.count, 2 * RSAN_COLLECT_KEPT);
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

// Merged into the thread's own next record, whosever stand between.
static void merging_stays_within_the_thread(void **state) {
  (void)state;
  write_value(RSAN_RMW, 1);
  read_by_q(); // version 1
  for (uint64_t i = 2; i <= VERSIONS; i++)
    write_value(RSAN_RMW, i);
  rsan_views_remove(&views, &view[Q]);
  collect(true);
  knows_q(R, 1);
  assert_int_equal(known(R), 1);
  knows(R, 1);
  assert_int_equal(known(R), VERSIONS - RSAN_COLLECT_KEPT + 1);
}

// --- records that a live clock reaches ---

// Q's clocks have these epochs of P; 0: none.
static void q_has(uint64_t vc, uint64_t va, uint64_t vr) {
  stamp_set(&hb[Q].c, P, vc);
  stamp_set(&hb[Q].a, P, va);
  if (vr) // released by a release fence in Q's first epoch
    hb[Q].r = (struct rsan_stamp){.thread = Q, .index = 1};
  stamp_set(&hb[Q].r, P, vr);
}

// After P has written all: beside the last ones just these records are kept.
static void expect_kept(const uint64_t *kept, uint32_t count) {
  collect(true);
  assert_int_equal(records.count, RSAN_COLLECT_KEPT + count);
  for (uint64_t epoch = 1; epoch <= VERSIONS; epoch++) {
    uint64_t last = VERSIONS - RSAN_COLLECT_KEPT + 1, expected = epoch < last ? last : epoch;
    for (uint32_t i = count; i-- > 0;)
      if (epoch <= kept[i])
        expected = kept[i];
    knows(R, epoch);
    assert_int_equal(known(R), expected);
  }
}
#define EXPECT_KEPT(...)                                                                           \
  expect_kept((uint64_t[]){__VA_ARGS__}, sizeof((uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

static void the_record_that_vc_reaches(void **state) {
  (void)state;
  write_all();
  q_has(5, 0, 0);
  EXPECT_KEPT(5);
}

static void the_record_that_va_reaches(void **state) {
  (void)state;
  write_all();
  q_has(5, 9, 0);
  EXPECT_KEPT(5, 9);
}
static void not_if_vc_knows_more(void **state) {
  (void)state;
  write_all();
  q_has(9, 5, 0); // an acquire fence changes nothing
  EXPECT_KEPT(9);
}

static void the_record_that_vr_reaches(void **state) {
  (void)state;
  write_all();
  q_has(9, 0, 3); // a relaxed write of Q tells others so much
  EXPECT_KEPT(3, 9);
}

static void all_three(void **state) {
  (void)state;
  write_all();
  q_has(5, 9, 3);
  EXPECT_KEPT(3, 5, 9);
}

static void a_finished_threads_views_are_live(void **state) {
  (void)state;
  write_all();
  q_has(5, 9, 3);
  rsan_views_finish(&views, &view[Q]); // it may be joined
  EXPECT_KEPT(3, 5, 9);
}

static void a_freed_threads_views_are_not(void **state) {
  (void)state;
  write_all();
  q_has(5, 9, 3);
  rsan_views_remove(&views, &view[Q]);
  collect(true);
  assert_int_equal(records.count, RSAN_COLLECT_KEPT);
}

// R reaches P's record of version 3, and may know version 10 by Q's. A fourth thread knows nothing,
// so all of it is above the base.
static uint32_t kept_for_r(bool knows_by_q) {
  static const struct rsan_index_table indices;
  struct rsan_hb fourth;
  struct rsan_view fourth_view = {.hb = &fourth};
  rsan_hb_init(&fourth, THREADS, 1, &indices);
  rsan_views_add(&views, &fourth_view);
  for (uint64_t i = 1; i <= VERSIONS; i++) {
    write_value(RSAN_RMW, i);
    if (i == 10)
      read_by_q();
  }
  knows(R, 3);
  knows_q(R, knows_by_q);
  collect(true);
  return records.count - RSAN_COLLECT_KEPT - 1; // without the last ones, P's and Q's
}

static void a_record_below_what_is_known_by_another(void **state) {
  (void)state;
  assert_int_equal(kept_for_r(true), 0);
}
static void and_one_that_is_not(void **state) {
  (void)state;
  assert_int_equal(kept_for_r(false), 1);
}

// --- threads that lag behind ---

static void collect_with_others(uint32_t others) {
  collect_with(others, true);
}
enum { MANY = 2 * RSAN_COLLECT_THREADS_FOR_ONE - 3 }; // with P, Q, R: two may lag

// What is between the versions that Q and R know and the one that most do: one record, no version
// but the first ones after those, and the last ones.
static void laggards_keep_what_they_know(void **state) {
  (void)state;
  write_all();
  knows(Q, 5);
  collect_with_others(MANY);
  assert_int_equal(records.count, 3); // 5, VERSIONS - 1 and VERSIONS
  assert_int_equal(known(Q), 5);
  assert_true(has_version(1));
  assert_true(has_version(6));
  assert_true(has_version(7)); // it overwrote another value
  assert_false(has_version(8));
  knows(R, 5);
  assert_int_equal(known(R), 5);
  knows(R, 6);
  assert_int_equal(known(R), VERSIONS - 1);
}

static void one_more_is_no_laggard(void **state) {
  (void)state;
  write_all();
  knows(Q, 5);
  collect_with_others(MANY - 1);
  assert_int_equal(records.count, RSAN_COLLECT_KEPT + 1);
  knows(R, VERSIONS - 2);
  assert_int_equal(known(R), VERSIONS - 2);
}

// A finished one is none of those of whom some may lag.
static void finished_threads_allow_no_laggard(void **state) {
  (void)state;
  write_all();
  knows(Q, 5);
  rsan_views_finish(&views, &view[R]);
  collect_with_others(RSAN_COLLECT_THREADS_FOR_ONE - THREADS);
  assert_int_equal(records.count, RSAN_COLLECT_KEPT);
}

// Q has read the first four versions and maybe the last one, each in an epoch of its own.
static void write_with_reads_by_q(bool last) {
  for (uint64_t i = 1; i <= VERSIONS; i++) {
    write_value(RSAN_RMW, i);
    if (i > 4 && (i < VERSIONS || !last))
      continue;
    read_by_q();
    rsan_hb_tick(&hb[Q]);
  }
}

// What most threads know is kept as each thread's newest record, merged with no newer one.
static void nothing_is_merged_above_what_most_know(void **state) {
  (void)state;
  write_with_reads_by_q(true);
  rsan_views_remove(&views, &view[Q]);
  collect_with_others(MANY + 1);
  knows_q(R, 1);
  assert_int_equal(known(R), 4);
  knows_q(R, 5);
  assert_int_equal(known(R), VERSIONS);
}

// R may come to know version 4. What comes after it is kept if it does already.
static void a_laggards_own_version_is_looked_after(void **state) {
  (void)state;
  write_with_reads_by_q(false);
  rsan_views_remove(&views, &view[Q]);
  knows_q(R, 4);
  collect_with(MANY + 1, false);
  assert_int_equal(known(R), 4);
  assert_true(has_version(5));
}
static void and_no_other(void **state) {
  (void)state;
  write_with_reads_by_q(false);
  rsan_views_remove(&views, &view[Q]);
  collect_with(MANY + 1, false);
  assert_false(has_version(5));
  knows_q(R, 4);
  assert_int_equal(known(R), 4);
}

// --- versions ---

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

// ... be it one that no live clock reaches, if it is its thread's newest ...
static void the_first_version_after_a_threads_newest_record_is_kept(void **state) {
  (void)state;
  for (uint64_t i = 1; i <= VERSIONS; i++) {
    write_value(RSAN_RMW, i);
    if (i == 6 || i == 9) // in epochs 1 and 2
      read_by_q();
    if (i == 6)
      rsan_hb_tick(&hb[Q]);
  }
  rsan_views_remove(&views, &view[Q]);
  collect(true);
  assert_true(has_version(10));
  assert_false(has_version(7));
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

// ... and for each condition that someone waits for, the first that overwrote such a value, and the
// first plain one.
static void expect_waited_for(const struct rsan_condition *condition, bool kept) {
  for (uint64_t i = 1; i <= VERSIONS; i++)
    write_value(i == 2 || i == 11 ? RSAN_WRITE : RSAN_RMW, i % 5 == 0 ? 77 : i);
  // Versions 6 and 11 overwrote 77; 11 is a plain store, not the first one.
  if (condition)
    rsan_history_add_critical(&history, condition);
  collect(true);
  assert_int_equal(has_version(6), kept);
  assert_int_equal(has_version(11), kept);
}

static void a_value_that_is_waited_for(void **state) {
  (void)state;
  struct rsan_condition condition = rsan_equals((struct rsan_value){77, 0});
  expect_waited_for(&condition, true);
}
static void a_value_that_is_not(void **state) {
  (void)state;
  expect_waited_for(NULL, false);
}
static void a_bound_that_is_waited_for(void **state) {
  (void)state;
  expect_waited_for(&(struct rsan_condition){.operand = {70, 0}, .relation = RSAN_U_GREATER}, true);
}
static void a_bound_that_all_keep(void **state) {
  (void)state;
  expect_waited_for(&(struct rsan_condition){.operand = {70, 0}, .relation = RSAN_U_LESS}, false);
}

static void a_second_collection_finds_nothing_more(void **state) {
  (void)state;
  write_all();
  q_has(5, 9, 3);
  collect(true);
  uint32_t versions = history.count, kept = records.count;
  uint64_t merged = counters.count[RSAN_STAT_merged_records];
  collect(true);
  assert_int_equal(history.count, versions);
  assert_int_equal(records.count, kept);
  assert_int_equal(counters.count[RSAN_STAT_merged_records], merged);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, script_begin, script_end)
static const struct CMUnitTest tests[] = {
    TEST(bounded_keeps_the_last_records),
    TEST(of_each_thread),
    TEST(merging_raises_what_is_known),
    TEST(merging_stays_within_the_thread),
    TEST(the_record_that_vc_reaches),
    TEST(the_record_that_va_reaches),
    TEST(not_if_vc_knows_more),
    TEST(the_record_that_vr_reaches),
    TEST(all_three),
    TEST(a_finished_threads_views_are_live),
    TEST(a_freed_threads_views_are_not),
    TEST(a_record_below_what_is_known_by_another),
    TEST(and_one_that_is_not),
    TEST(laggards_keep_what_they_know),
    TEST(one_more_is_no_laggard),
    TEST(finished_threads_allow_no_laggard),
    TEST(nothing_is_merged_above_what_most_know),
    TEST(a_laggards_own_version_is_looked_after),
    TEST(and_no_other),
    TEST(bounded_keeps_the_last_versions),
    TEST(the_first_version_after_a_kept_record_is_kept),
    TEST(the_first_version_after_a_threads_newest_record_is_kept),
    TEST(the_first_plain_store_is_kept),
    TEST(the_first_of_another_value_is_kept),
    TEST(a_value_that_is_waited_for),
    TEST(a_value_that_is_not),
    TEST(a_bound_that_is_waited_for),
    TEST(a_bound_that_all_keep),
    TEST(a_second_collection_finds_nothing_more),
};

int main(void) {
  return cmocka_run_group_tests(tests, NULL, NULL);
}
