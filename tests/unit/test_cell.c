// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan/race/cell.h: races of non-atomic accesses. P accesses the cell in epoch 1, then Q does, who
// knows P's epoch or not.

#include "unit.h"

#include "race/cell.h"

enum { P, Q, R, THREADS };

static struct rsan_hb threads[THREADS];
static const struct rsan_index_table indices; // no forced reuse
static struct rsan_cell cell;

static int begin(void **state) {
  (void)state;
  for (uint32_t i = 0; i < THREADS; i++)
    rsan_hb_init(&threads[i], i, 1, &indices);
  return 0;
}

static int end(void **state) {
  (void)state;
  for (uint32_t i = 0; i < THREADS; i++)
    rsan_hb_clear(&threads[i]);
  RSAN_CLOCKS_CLEAR(&cell);
  return unit_check_memory();
}

static bool access_races(int thread, bool writes) {
  bool races = rsan_cell_races(&cell, &threads[thread], writes);
  rsan_cell_update(&cell, &threads[thread], writes);
  return races;
}
static bool read_races(int thread) {
  return access_races(thread, false);
}
static bool write_races(int thread) {
  return access_races(thread, true);
}

// `thread` knows all that `of` did up to now.
static void order(int of, int thread) {
  rsan_hb_join(&threads[thread], &threads[of].c);
  rsan_hb_tick(&threads[of]);
}

static void a_first_access_races_with_nothing(void **state) {
  (void)state;
  assert_false(read_races(P));
  assert_false(write_races(P));
  assert_false(read_races(P));
}

static void unordered_writes(void **state) {
  (void)state;
  write_races(P);
  assert_true(write_races(Q));
}

static void ordered_writes(void **state) {
  (void)state;
  write_races(P);
  order(P, Q);
  assert_false(write_races(Q));
}

static void a_write_after_the_order(void **state) {
  (void)state;
  order(P, Q);
  write_races(P);
  assert_true(write_races(Q));
}

static void read_after_an_unordered_write(void **state) {
  (void)state;
  write_races(P);
  assert_true(read_races(Q));
}

static void read_after_an_ordered_write(void **state) {
  (void)state;
  write_races(P);
  order(P, Q);
  assert_false(read_races(Q));
}

static void write_after_an_unordered_read(void **state) {
  (void)state;
  read_races(P);
  assert_true(write_races(Q));
}

static void write_after_an_ordered_read(void **state) {
  (void)state;
  read_races(P);
  order(P, Q);
  assert_false(write_races(Q));
}

static void reads_do_not_race(void **state) {
  (void)state;
  read_races(P);
  assert_false(read_races(Q));
}

// Every thread's newest access counts, not only the last one of all.
static void an_older_write_of_another_thread_counts(void **state) {
  (void)state;
  write_races(P);
  write_races(Q);
  order(Q, R);
  assert_true(read_races(R));
}

static void what_is_ordered_through_a_third_thread(void **state) {
  (void)state;
  write_races(P);
  order(P, Q);
  order(Q, R);
  assert_false(write_races(R));
}

static void a_cleared_cell_is_new(void **state) {
  (void)state;
  write_races(P);
  read_races(P);
  RSAN_CLOCKS_CLEAR(&cell);
  assert_false(write_races(Q));
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
  const struct CMUnitTest tests[] = {
      TEST(a_first_access_races_with_nothing),
      TEST(unordered_writes),
      TEST(ordered_writes),
      TEST(a_write_after_the_order),
      TEST(read_after_an_unordered_write),
      TEST(read_after_an_ordered_write),
      TEST(write_after_an_unordered_read),
      TEST(write_after_an_ordered_read),
      TEST(reads_do_not_race),
      TEST(an_older_write_of_another_thread_counts),
      TEST(what_is_ordered_through_a_third_thread),
      TEST(a_cleared_cell_is_new),
  };
#undef TEST
  return cmocka_run_group_tests(tests, NULL, NULL);
}
