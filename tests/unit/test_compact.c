// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan/lc/compact.h: the SC views, and the check that puts records, history and views together.

#include "unit.h"

#include "lc/compact.h"

enum { P, Q, R, THREADS };

static struct rsan_hb hb[THREADS];
static struct rsan_clock vs[THREADS];
static struct rsan_compact_location location;
static struct rsan_history history;
static struct rsan_index_table indices;

static int begin(void **state) {
  (void)state;
  for (uint32_t i = 0; i < THREADS; i++) {
    hb[i].index = i;
    rsan_clock_set(&hb[i].c, i, 1);
  }
  return 0;
}

static int end(void **state) {
  (void)state;
  for (uint32_t i = 0; i < THREADS; i++) {
    rsan_hb_clear(&hb[i]);
    rsan_clock_clear(&vs[i]);
  }
  rsan_compact_location_clear(&location);
  rsan_history_restart(&history, (struct rsan_value){0, 0});
  rsan_index_table_clear(&indices);
  return unit_check_memory();
}

static uint64_t update(int thread, enum rsan_access_kind kind) {
  struct rsan_access access = {.kind = kind};
  return rsan_compact_update(&hb[thread], &vs[thread], &location, &access);
}

// How many of `of`'s writes every SC run puts before `thread`'s next step.
static uint64_t seen(int thread, uint32_t of) {
  return rsan_clock_get(&vs[thread], of);
}

static void each_write_has_the_next_sc_index(void **state) {
  (void)state;
  assert_int_equal(update(P, RSAN_WRITE), 1);
  assert_int_equal(update(P, RSAN_RMW), 2);
  assert_int_equal(update(P, RSAN_READ), 0);
  assert_int_equal(seen(P, P), 2);
}

static void read_after_write(void **state) {
  (void)state;
  update(P, RSAN_WRITE);
  update(Q, RSAN_READ);
  assert_int_equal(seen(Q, P), 1);
}

static void write_after_write(void **state) {
  (void)state;
  update(P, RSAN_WRITE);
  update(Q, RSAN_WRITE);
  assert_int_equal(seen(Q, P), 1);
}

// P's write elsewhere, then a read here: the reader comes before a writer here ...
static void write_after_read(void **state) {
  (void)state;
  rsan_clock_set(&vs[P], P, 1);
  update(P, RSAN_READ);
  update(Q, RSAN_WRITE);
  assert_int_equal(seen(Q, P), 1);
}

static void rmw_after_read(void **state) {
  (void)state;
  rsan_clock_set(&vs[P], P, 1);
  update(P, RSAN_READ);
  update(Q, RSAN_RMW);
  assert_int_equal(seen(Q, P), 1);
}

// ... but two reads are in no order.
static void read_after_read(void **state) {
  (void)state;
  rsan_clock_set(&vs[P], P, 1);
  update(P, RSAN_READ);
  update(Q, RSAN_READ);
  assert_int_equal(seen(Q, P), 0);
}

static void what_a_reader_saw_stays_with_it_until_a_write(void **state) {
  (void)state;
  rsan_clock_set(&vs[P], P, 1);
  update(P, RSAN_READ);
  update(Q, RSAN_WRITE);
  update(R, RSAN_READ);
  assert_int_equal(seen(R, P), 1); // the write has it now
  assert_int_equal(seen(R, Q), 1);
}

static void a_write_does_not_reach_those_before_it(void **state) {
  (void)state;
  update(P, RSAN_READ);
  update(Q, RSAN_WRITE);
  assert_int_equal(seen(P, Q), 0);
}

// The check: number of the version that is missed; 0: none.
static uint64_t check(int thread, enum rsan_check kind, uint64_t *known) {
  struct rsan_access access = {.check = kind};
  const struct rsan_version *version =
      rsan_compact_check(&hb[thread], &vs[thread], &location, &history, &indices, &access, known);
  return version ? version->number : 0;
}

static void write_by_p(enum rsan_access_kind kind) {
  struct rsan_access access = {.kind = kind};
  uint64_t sc_index = update(P, kind);
  rsan_history_append(&history, &access, P, 0, sc_index);
  rsan_records_add(&location.records, P, rsan_hb_epoch(&hb[P]), history.newest);
}

static void what_is_not_visible_is_not_missed(void **state) {
  (void)state;
  uint64_t known;
  write_by_p(RSAN_WRITE);
  assert_int_equal(check(Q, RSAN_CHECK_READ, &known), 0);
  assert_int_equal(known, 0);
}

static void what_is_visible_and_not_known_is_missed(void **state) {
  (void)state;
  uint64_t known;
  write_by_p(RSAN_WRITE);
  write_by_p(RSAN_WRITE);
  rsan_clock_set(&vs[Q], P, 1);
  assert_int_equal(check(Q, RSAN_CHECK_READ, &known), 1);
  assert_int_equal(known, 0);
}

static void what_is_known_is_not_missed(void **state) {
  (void)state;
  uint64_t known;
  write_by_p(RSAN_WRITE);
  rsan_clock_set(&vs[Q], P, 1);
  rsan_clock_set(&hb[Q].c, P, 1);
  assert_int_equal(check(Q, RSAN_CHECK_READ, &known), 0);
  assert_int_equal(known, 1);
}

static void a_version_above_the_known_ones_is_missed(void **state) {
  (void)state;
  uint64_t known;
  write_by_p(RSAN_WRITE);
  rsan_hb_tick(&hb[P]); // version 2 comes in the next epoch
  write_by_p(RSAN_WRITE);
  rsan_clock_set(&vs[Q], P, 2);
  rsan_clock_set(&hb[Q].c, P, 1);
  assert_int_equal(check(Q, RSAN_CHECK_READ, &known), 2);
  assert_int_equal(known, 1);
}

static void the_writer_itself_misses_nothing(void **state) {
  (void)state;
  uint64_t known;
  write_by_p(RSAN_WRITE);
  assert_int_equal(check(P, RSAN_CHECK_READ, &known), 0);
  assert_int_equal(known, 1);
}

static void what_all_know_is_not_missed(void **state) {
  (void)state;
  uint64_t known;
  write_by_p(RSAN_WRITE);
  rsan_clock_set(&vs[Q], P, 1);
  location.records.base = 1;
  assert_int_equal(check(Q, RSAN_CHECK_READ, &known), 0);
  assert_int_equal(known, 1);
}

static void the_check_asks_for_versions_that_matter(void **state) {
  (void)state;
  uint64_t known;
  write_by_p(RSAN_RMW);
  rsan_clock_set(&vs[Q], P, 1);
  assert_int_equal(check(Q, RSAN_CHECK_WRITE, &known), 0);
  assert_int_equal(check(Q, RSAN_CHECK_READ, &known), 1);
}

static void a_version_under_the_floor_is_not_visible(void **state) {
  (void)state;
  uint64_t known;
  struct rsan_counters counters = {0};
  write_by_p(RSAN_WRITE);
  rsan_clock_set(&vs[Q], P, 2);
  assert_int_equal(check(Q, RSAN_CHECK_READ, &known), 1);
  uint64_t epoch, sc_index; // P ends with SC index 1, and another thread gets its index
  for (uint32_t i = 0; i < RSAN_THREAD_INDEX_SOFT_MAX; i++)
    rsan_index_take(&indices, NULL, NULL, &epoch, &sc_index, &counters);
  rsan_index_give(&indices, P, 1, 1);
  assert_int_equal(rsan_index_take(&indices, NULL, NULL, &epoch, &sc_index, &counters), P);
  assert_int_equal(check(Q, RSAN_CHECK_READ, &known), 0);
  rsan_history_restart(&history, (struct rsan_value){0, 0});
  rsan_records_clear(&location.records);
  write_by_p(RSAN_WRITE); // SC index 2: the new thread's
  assert_int_equal(check(Q, RSAN_CHECK_READ, &known), 1);
}

static void clear_frees_the_location(void **state) {
  (void)state;
  write_by_p(RSAN_WRITE);
  rsan_compact_location_clear(&location);
  update(Q, RSAN_READ);
  assert_int_equal(seen(Q, P), 0);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
  const struct CMUnitTest tests[] = {
      TEST(each_write_has_the_next_sc_index),
      TEST(read_after_write),
      TEST(write_after_write),
      TEST(write_after_read),
      TEST(rmw_after_read),
      TEST(read_after_read),
      TEST(what_a_reader_saw_stays_with_it_until_a_write),
      TEST(a_write_does_not_reach_those_before_it),
      TEST(what_is_not_visible_is_not_missed),
      TEST(what_is_visible_and_not_known_is_missed),
      TEST(what_is_known_is_not_missed),
      TEST(a_version_above_the_known_ones_is_missed),
      TEST(the_writer_itself_misses_nothing),
      TEST(what_all_know_is_not_missed),
      TEST(the_check_asks_for_versions_that_matter),
      TEST(a_version_under_the_floor_is_not_visible),
      TEST(clear_frees_the_location),
  };
#undef TEST
  return cmocka_run_group_tests(tests, NULL, NULL);
}
