// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan/lc/compact.h: the SC views, and the check that puts records, history and views together.

#include "stamps.h"

#include "lc/compact.h"

enum { P, Q, R, THREADS };

static struct rsan_hb hb[THREADS];
static struct rsan_sc_view views[THREADS];
static struct rsan_compact_location location;
static struct rsan_history history;
static struct rsan_index_table indices;

static int begin(void **state) {
  (void)state;
  for (uint32_t i = 0; i < THREADS; i++) {
    rsan_hb_init(&hb[i], i, 1, &indices);
    views[i] = (struct rsan_sc_view){.vs.thread = i, .changed = true};
  }
  return 0;
}

static int end(void **state) {
  (void)state;
  for (uint32_t i = 0; i < THREADS; i++) {
    rsan_hb_clear(&hb[i]);
    rsan_stamp_clear(&views[i].vs);
  }
  rsan_compact_location_clear(&location);
  rsan_history_clear(&history);
  rsan_index_table_clear(&indices);
  return unit_check_memory();
}

static uint64_t update(int thread, enum rsan_access_kind kind) {
  struct rsan_access access = {.kind = kind};
  return rsan_compact_update(&views[thread], &location, &access);
}

// How many of `of`'s SC indices every SC run puts before `thread`'s next step.
static uint64_t seen(int thread, uint32_t of) {
  return rsan_stamp_get(&views[thread].vs, of);
}

// P has written somewhere else.
static void p_has_written(void) {
  struct rsan_compact_location other = {0};
  struct rsan_access access = {.kind = RSAN_WRITE};
  rsan_compact_update(&views[P], &other, &access);
  rsan_compact_location_clear(&other);
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
  p_has_written();
  update(P, RSAN_READ);
  update(Q, RSAN_WRITE);
  assert_int_equal(seen(Q, P), 1);
}

static void rmw_after_read(void **state) {
  (void)state;
  p_has_written();
  update(P, RSAN_READ);
  update(Q, RSAN_RMW);
  assert_int_equal(seen(Q, P), 1);
}

// ... but two reads are in no order.
static void read_after_read(void **state) {
  (void)state;
  p_has_written();
  update(P, RSAN_READ);
  update(Q, RSAN_READ);
  assert_int_equal(seen(Q, P), 0);
}

static void what_a_reader_saw_stays_with_it_until_a_write(void **state) {
  (void)state;
  p_has_written();
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

// --- the own index, and what is shared ---

static void a_write_shares_the_view(void **state) {
  (void)state;
  update(P, RSAN_WRITE);
  update(Q, RSAN_RMW);
  assert_ptr_equal(location.w.base, views[Q].vs.base);
  assert_int_equal(location.w.thread, Q);
  assert_null(location.m.base); // it is what the write has
  assert_int_equal(location.m.index, 0);
}

// A view is released with an index of its own: whoever has the index has the view.
static void what_is_new_has_a_new_index(void **state) {
  (void)state;
  update(P, RSAN_WRITE);
  update(Q, RSAN_READ);
  uint64_t index = views[Q].vs.index;
  update(P, RSAN_WRITE);
  update(Q, RSAN_READ);
  assert_true(views[Q].vs.index > index);
}

static void what_is_not_new_has_not(void **state) {
  (void)state;
  update(P, RSAN_WRITE);
  update(Q, RSAN_READ);
  uint64_t index = views[Q].vs.index;
  update(Q, RSAN_READ);
  update(Q, RSAN_READ);
  assert_int_equal(views[Q].vs.index, index);
}

static void release_moves_the_index_on_once(void **state) {
  (void)state;
  struct rsan_stamp from = {.thread = P, .index = 4};
  rsan_sc_join(&views[Q], &from);
  assert_true(views[Q].changed);
  uint64_t index = views[Q].vs.index;
  assert_int_equal(rsan_sc_release(&views[Q])->index, index + 1);
  assert_int_equal(rsan_sc_release(&views[Q])->index, index + 1);
  rsan_sc_join(&views[Q], &from); // nothing new
  assert_int_equal(rsan_sc_release(&views[Q])->index, index + 1);
}

static void the_first_view_of_a_thread_is_new(void **state) {
  (void)state;
  assert_int_equal(rsan_sc_release(&views[Q])->index, 1);
}

// What a load that is repeated rests on: while nothing changes, neither does the view.
static void moves_tell_of_each_change(void **state) {
  (void)state;
  uint64_t changes = views[Q].fast.view_changes;
  update(P, RSAN_WRITE);
  update(Q, RSAN_READ); // joins, and is released
  assert_true(views[Q].fast.view_changes > changes);
  changes = views[Q].fast.view_changes;
  update(Q, RSAN_READ);
  update(R, RSAN_READ);
  update(Q, RSAN_READ);
  assert_int_equal(views[Q].fast.view_changes, changes);
  rsan_sc_join(&views[Q], &views[P].vs); // is known
  assert_int_equal(views[Q].fast.view_changes, changes);
  rsan_sc_join(&views[Q], rsan_sc_release(&views[R]));
  assert_true(views[Q].fast.view_changes > changes);
  changes = views[Q].fast.view_changes;
  update(Q, RSAN_WRITE);
  assert_true(views[Q].fast.view_changes > changes);
}

static void two_readers_make_a_merged_view(void **state) {
  (void)state;
  update(P, RSAN_READ);
  update(Q, RSAN_READ);
  assert_int_equal(location.m.thread, RSAN_MERGED);
  update(R, RSAN_WRITE);
  assert_int_equal(seen(R, P), 1);
  assert_int_equal(seen(R, Q), 1);
  assert_null(location.m.base); // a write clears it
}

// A reader among others: first its view has gained nothing but writes of its own, then something.
static void a_reader_among_others_shows_what_is_new(void **state) {
  (void)state;
  update(P, RSAN_READ);
  update(Q, RSAN_READ);
  const struct rsan_snapshot *base = location.m.base;
  p_has_written();
  update(P, RSAN_READ);
  assert_ptr_equal(location.m.base, base);
  assert_int_equal(rsan_stamp_get(&location.m, P), views[P].vs.index);
  rsan_sc_join(&views[P], &(struct rsan_stamp){.thread = R, .index = 4});
  p_has_written(); // which releases it elsewhere
  update(P, RSAN_READ);
  assert_int_equal(rsan_stamp_get(&location.m, P), views[P].vs.index);
  assert_int_equal(rsan_stamp_get(&location.m, R), 4);
}

static void a_reader_that_saw_the_other_takes_its_place(void **state) {
  (void)state;
  update(P, RSAN_READ);
  rsan_sc_join(&views[Q], rsan_sc_release(&views[P]));
  update(Q, RSAN_READ);
  assert_int_equal(location.m.thread, Q);
  update(R, RSAN_WRITE);
  assert_int_equal(seen(R, P), 1);
}

static void a_read_that_brings_nothing_leaves_the_view(void **state) {
  (void)state;
  update(P, RSAN_WRITE);
  update(P, RSAN_READ); // the write has all that P has
  assert_null(location.m.base);
  assert_int_equal(location.m.index, 0);
  update(Q, RSAN_WRITE);
  assert_int_equal(seen(Q, P), 1);
}

// The base of a view may be shared: it is copied before it changes.
static void a_released_view_stays_as_it_was(void **state) {
  (void)state;
  update(P, RSAN_WRITE);
  update(Q, RSAN_WRITE);
  struct rsan_stamp released = {0};
  rsan_stamp_assign(&released, &location.w);
  update(P, RSAN_WRITE);
  update(Q, RSAN_READ);
  assert_int_equal(rsan_stamp_get(&released, P), 1);
  assert_int_equal(seen(Q, P), 2);
  rsan_stamp_clear(&released);
}

// --- the check: number of the version that is missed by one who knows `known`; 0: none ---

static uint64_t check(int thread, enum rsan_check kind, uint64_t *known) {
  struct rsan_access access = {.check = kind};
  *known = rsan_records_known(&location.records, &hb[thread].c);
  const struct rsan_version *version =
      rsan_compact_check(&views[thread], &history, &indices, &access, *known);
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
  stamp_set(&views[Q].vs, P, 1);
  assert_int_equal(check(Q, RSAN_CHECK_READ, &known), 1);
  assert_int_equal(known, 0);
}

static void what_is_known_is_not_missed(void **state) {
  (void)state;
  uint64_t known;
  write_by_p(RSAN_WRITE);
  stamp_set(&views[Q].vs, P, 1);
  stamp_set(&hb[Q].c, P, 1);
  assert_int_equal(check(Q, RSAN_CHECK_READ, &known), 0);
  assert_int_equal(known, 1);
}

static void a_version_above_the_known_ones_is_missed(void **state) {
  (void)state;
  uint64_t known;
  write_by_p(RSAN_WRITE);
  rsan_hb_tick(&hb[P]); // version 2 comes in the next epoch
  write_by_p(RSAN_WRITE);
  stamp_set(&views[Q].vs, P, 2);
  stamp_set(&hb[Q].c, P, 1);
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
  stamp_set(&views[Q].vs, P, 1);
  location.records.base = 1;
  assert_int_equal(check(Q, RSAN_CHECK_READ, &known), 0);
  assert_int_equal(known, 1);
}

static void the_check_asks_for_versions_that_matter(void **state) {
  (void)state;
  uint64_t known;
  write_by_p(RSAN_RMW);
  stamp_set(&views[Q].vs, P, 1);
  assert_int_equal(check(Q, RSAN_CHECK_WRITE, &known), 0);
  assert_int_equal(check(Q, RSAN_CHECK_READ, &known), 1);
}

static void a_version_under_the_floor_is_not_visible(void **state) {
  (void)state;
  uint64_t known;
  struct rsan_counters counters = {0};
  write_by_p(RSAN_WRITE);
  stamp_set(&views[Q].vs, P, 2);
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
      TEST(a_write_shares_the_view),
      TEST(what_is_new_has_a_new_index),
      TEST(what_is_not_new_has_not),
      TEST(release_moves_the_index_on_once),
      TEST(the_first_view_of_a_thread_is_new),
      TEST(moves_tell_of_each_change),
      TEST(two_readers_make_a_merged_view),
      TEST(a_reader_among_others_shows_what_is_new),
      TEST(a_reader_that_saw_the_other_takes_its_place),
      TEST(a_read_that_brings_nothing_leaves_the_view),
      TEST(a_released_view_stays_as_it_was),
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
