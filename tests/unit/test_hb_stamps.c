// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan/race/hb.h: what the clocks share, which joins one comparison saves, and which it must not
// save: those of an index that was taken again by force.

#include "dies.h"

#include "race/hb.h"
#include "stamps.h"

enum { P, Q, R, THREADS };

static struct rsan_hb threads[THREADS];
static struct rsan_hb successor; // has P's index after P
static struct rsan_index_table indices;
static struct rsan_stamp v, w; // of two locations

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
  rsan_hb_clear(&successor);
  rsan_stamp_clear(&v);
  rsan_stamp_clear(&w);
  rsan_index_table_clear(&indices);
  return unit_check_memory();
}

// Newest epoch of `of` that `thread` knows by happens-before.
static uint64_t known(int thread, uint32_t of) {
  return rsan_stamp_get(&threads[thread].c, of);
}

// `thread` knows what `of` did up to now.
static void order(int of, int thread) {
  rsan_hb_join(&threads[thread], &threads[of].c);
  rsan_hb_tick(&threads[of]);
}

// --- what is shared ---

static void a_release_shares_the_clock(void **state) {
  (void)state;
  order(R, P);
  rsan_hb_write(&threads[P], &w, RSAN_RELEASE);
  assert_ptr_equal(w.base, threads[P].c.base);
  STAMPS_EXPECT(&w, 1, 0, 1);
}

static void what_is_learned_later_is_not_in_it(void **state) {
  (void)state;
  order(R, P);
  rsan_hb_write(&threads[P], &w, RSAN_RELEASE);
  order(Q, P);
  STAMPS_EXPECT(&w, 1, 0, 1);
  STAMPS_EXPECT(&threads[P].c, 2, 1, 1);
}

static void a_release_fence_keeps_the_moment(void **state) {
  (void)state;
  order(R, P);
  rsan_hb_fence(&threads[P], RSAN_RELEASE);
  order(Q, P);
  rsan_hb_write(&threads[P], &w, RSAN_RELAXED);
  STAMPS_EXPECT(&w, 1, 0, 1);
}

// A read-modify-write that acquires has all that stood there: its clock replaces it.
static void an_acqrel_rmw_replaces_the_clock(void **state) {
  (void)state;
  rsan_hb_write(&threads[P], &w, RSAN_RELEASE);
  rsan_hb_rmw(&threads[Q], &w, RSAN_ACQ_REL);
  assert_int_equal(w.thread, Q);
  STAMPS_EXPECT(&w, 1, 1);
}

// One that does not acquire adds its own to it.
static void a_release_rmw_merges(void **state) {
  (void)state;
  rsan_hb_write(&threads[P], &w, RSAN_RELEASE);
  rsan_hb_rmw(&threads[Q], &w, RSAN_RELEASE);
  assert_int_equal(w.thread, RSAN_MERGED);
  STAMPS_EXPECT(&w, 1, 1);
  STAMPS_EXPECT(&threads[Q].c, 0, 2);
  rsan_hb_write(&threads[R], &w, RSAN_RELEASE);
  assert_int_equal(w.thread, R); // a plain write assigns
  STAMPS_EXPECT(&w, 0, 0, 1);
}

static void a_relaxed_rmw_without_a_fence_leaves_the_clock(void **state) {
  (void)state;
  rsan_hb_write(&threads[P], &w, RSAN_RELEASE);
  rsan_hb_rmw(&threads[Q], &w, RSAN_RELAXED);
  assert_int_equal(w.thread, P);
  STAMPS_EXPECT(&w, 1);
}

// --- Va ---

static void a_relaxed_read_notes_what_is_new(void **state) {
  (void)state;
  rsan_hb_write(&threads[P], &w, RSAN_RELEASE);
  rsan_hb_read(&threads[Q], &w, RSAN_RELAXED);
  STAMPS_EXPECT(&threads[Q].a, 1);
}

static void and_leaves_out_what_vc_has(void **state) {
  (void)state;
  rsan_hb_write(&threads[P], &w, RSAN_RELEASE);
  rsan_hb_read(&threads[Q], &w, RSAN_ACQUIRE);
  rsan_hb_read(&threads[Q], &w, RSAN_RELAXED);
  assert_null(threads[Q].a.base);
}

static void or_what_it_has_itself(void **state) {
  (void)state;
  rsan_hb_write(&threads[P], &w, RSAN_RELEASE);
  rsan_hb_read(&threads[Q], &w, RSAN_RELAXED);
  struct rsan_snapshot *before = threads[Q].a.base;
  rsan_stamp_share(before); // a change would copy it
  rsan_hb_read(&threads[Q], &w, RSAN_RELAXED);
  assert_ptr_equal(threads[Q].a.base, before);
  rsan_stamp_unshare(before);
}

static void an_acquire_fence_takes_it_all(void **state) {
  (void)state;
  rsan_hb_write(&threads[P], &w, RSAN_RELEASE);
  rsan_hb_read(&threads[Q], &w, RSAN_RELAXED);
  rsan_hb_write(&threads[R], &w, RSAN_RELEASE);
  rsan_hb_read(&threads[Q], &w, RSAN_RELAXED);
  rsan_hb_fence(&threads[Q], RSAN_ACQUIRE);
  STAMPS_EXPECT(&threads[Q].c, 1, 1, 1);
  assert_null(threads[Q].a.base);
  rsan_hb_write(&threads[P], &w, RSAN_RELEASE); // and it goes on like that
  rsan_hb_read(&threads[Q], &w, RSAN_RELAXED);
  rsan_hb_fence(&threads[Q], RSAN_ACQUIRE);
  STAMPS_EXPECT(&threads[Q].c, 2, 1, 1);
}

// --- joins that are saved ---

static void what_is_known_is_not_joined_again(void **state) {
  (void)state;
  order(R, P);
  rsan_hb_write(&threads[P], &w, RSAN_RELEASE);
  rsan_hb_read(&threads[Q], &w, RSAN_ACQUIRE);
  struct rsan_snapshot *before = threads[Q].c.base;
  rsan_stamp_share(before);
  rsan_hb_read(&threads[Q], &w, RSAN_ACQUIRE);
  assert_ptr_equal(threads[Q].c.base, before);
  rsan_stamp_unshare(before);
}

static void acquire_w(void *thread) {
  rsan_hb_read(thread, &w, RSAN_ACQUIRE);
}

// Q has P's epoch 1 by a stamp that P did not release: it lacks what P knew. One comparison says
// that nothing is missing; builds that verify look.
static void a_stamp_that_is_not_whole(void **state) {
  (void)state;
  order(R, P);
  rsan_hb_write(&threads[P], &w, RSAN_RELEASE);
  stamp_set(&threads[Q].c, P, 1);
#ifdef RSAN_VERIFY
  assert_true(dies(acquire_w, &threads[Q]));
#else
  acquire_w(&threads[Q]);
  assert_int_equal(known(Q, R), 0);
#endif
  stamp_set(&threads[Q].c, P, 0);
  assert_false(dies(acquire_w, &threads[Q]));
  acquire_w(&threads[Q]);
  assert_int_equal(known(Q, R), 1);
}

// --- an index that was taken again ---

// P, who knows R, has released to w and has ended. Another thread gets its index, by force or from
// a creator who knew of the end, and releases to v.
static void index_of_p_again(bool by_force) {
  struct rsan_counters counters = {0};
  uint64_t epoch, sc_index;
  order(R, P);
  rsan_hb_write(&threads[P], &w, RSAN_RELEASE);
  for (uint32_t i = 0; i < RSAN_THREAD_INDEX_SOFT_MAX; i++)
    rsan_index_take(&indices, NULL, NULL, &epoch, &sc_index, &counters);
  rsan_index_give(&indices, P, rsan_hb_epoch(&threads[P]), 0);
  struct rsan_stamp creator = {.thread = Q}, nothing = {0};
  if (!by_force)
    rsan_stamp_join(&creator, &threads[P].c);
  assert_int_equal(rsan_index_take(&indices, &creator, &nothing, &epoch, &sc_index, &counters), P);
  assert_int_equal(counters.count[RSAN_STAT_forced_reuse], by_force);
  rsan_hb_init(&successor, P, epoch, &indices);
  rsan_hb_join(&successor, &creator);
  rsan_stamp_clear(&creator);
  rsan_hb_write(&successor, &v, RSAN_RELEASE);
}

static void the_creator_knew_of_the_end(void **state) {
  (void)state;
  index_of_p_again(false);
  rsan_hb_read(&threads[Q], &v, RSAN_ACQUIRE);
  assert_int_equal(known(Q, R), 1); // as much as the creator did
}

static void by_force_it_knows_nothing_of_it(void **state) {
  (void)state;
  index_of_p_again(true);
  rsan_hb_read(&threads[Q], &v, RSAN_ACQUIRE);
  assert_int_equal(known(Q, R), 0);
}

// So P's stamp has to be joined by one who has a later epoch of that index.
static void then_the_old_stamp_is_joined_by_an_acquire(void **state) {
  (void)state;
  index_of_p_again(true);
  rsan_hb_read(&threads[Q], &v, RSAN_ACQUIRE);
  rsan_hb_read(&threads[Q], &w, RSAN_ACQUIRE);
  assert_int_equal(known(Q, R), 1);
}

static void by_an_acquire_fence(void **state) {
  (void)state;
  index_of_p_again(true);
  rsan_hb_read(&threads[Q], &v, RSAN_RELAXED);
  rsan_hb_read(&threads[Q], &w, RSAN_RELAXED);
  rsan_hb_fence(&threads[Q], RSAN_ACQUIRE);
  assert_int_equal(known(Q, R), 1);
}

static void by_an_acquire_fence_of_one_who_has_the_new_epoch(void **state) {
  (void)state;
  index_of_p_again(true);
  rsan_hb_read(&threads[Q], &v, RSAN_ACQUIRE);
  rsan_hb_read(&threads[Q], &w, RSAN_RELAXED);
  rsan_hb_fence(&threads[Q], RSAN_ACQUIRE);
  assert_int_equal(known(Q, R), 1);
}

static void by_the_successor_itself(void **state) {
  (void)state;
  index_of_p_again(true);
  rsan_hb_read(&successor, &w, RSAN_ACQUIRE);
  assert_int_equal(rsan_stamp_get(&successor.c, R), 1);
}

// Where it adds to what P has released it must not replace it.
static void and_by_a_release_that_adds_to_it(void **state) {
  (void)state;
  index_of_p_again(true);
  rsan_hb_rmw(&successor, &w, RSAN_RELEASE);
  rsan_hb_read(&threads[Q], &w, RSAN_ACQUIRE);
  assert_int_equal(known(Q, R), 1);
  assert_int_equal(known(Q, P), rsan_hb_epoch(&successor) - 1);
}

// What the successor releases is above the floor: one comparison is enough again.
static void new_stamps_are_whole(void **state) {
  (void)state;
  index_of_p_again(true);
  rsan_hb_read(&threads[Q], &v, RSAN_ACQUIRE);
  assert_true(rsan_hb_covers(&threads[Q], &threads[Q].c, &v));
  assert_false(rsan_hb_covers(&threads[Q], &threads[Q].c, &w));
}

static void the_empty_clock_is_had_whatever_the_floors(void **state) {
  (void)state;
  index_of_p_again(true); // index 0, which a zeroed stamp has, too
  struct rsan_stamp empty = {0};
  assert_true(rsan_hb_covers(&threads[Q], &threads[Q].c, &empty));
  rsan_hb_rmw(&threads[Q], &v, RSAN_RELAXED); // releases an empty Vr
  assert_int_equal(v.thread, P);
}

// --- a look from another thread ---

static void peek_sees_the_entries(void **state) {
  (void)state;
  order(P, Q);
  assert_int_equal(rsan_hb_peek(&threads[Q].c, P), 1);
  assert_int_equal(rsan_hb_peek(&threads[Q].c, Q), 1);
  assert_int_equal(rsan_hb_peek(&threads[Q].c, R), 0);
  assert_int_equal(rsan_hb_peek(&threads[Q].c, 1000), 0);
  assert_int_equal(rsan_hb_peek(&threads[R].c, P), 0); // it has no base
  rsan_hb_tick(&threads[Q]);
  assert_int_equal(rsan_hb_peek(&threads[Q].c, Q), 2);
}

static void nobody_is_kept_waiting(void **state) {
  (void)state;
  rsan_hb_write(&threads[P], &w, RSAN_RELEASE);
  rsan_hb_read(&threads[Q], &w, RSAN_RELAXED);
  rsan_hb_fence_sc(&threads[Q], &v);
  rsan_hb_read(&threads[R], &w, RSAN_ACQUIRE);
  for (int i = 0; i < THREADS; i++)
    assert_false(atomic_load(&threads[i].moving.held));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
static const struct CMUnitTest tests[] = {
    TEST(a_release_shares_the_clock),
    TEST(what_is_learned_later_is_not_in_it),
    TEST(a_release_fence_keeps_the_moment),
    TEST(an_acqrel_rmw_replaces_the_clock),
    TEST(a_release_rmw_merges),
    TEST(a_relaxed_rmw_without_a_fence_leaves_the_clock),
    TEST(a_relaxed_read_notes_what_is_new),
    TEST(and_leaves_out_what_vc_has),
    TEST(or_what_it_has_itself),
    TEST(an_acquire_fence_takes_it_all),
    TEST(what_is_known_is_not_joined_again),
    TEST(a_stamp_that_is_not_whole),
    TEST(the_creator_knew_of_the_end),
    TEST(by_force_it_knows_nothing_of_it),
    TEST(then_the_old_stamp_is_joined_by_an_acquire),
    TEST(by_an_acquire_fence),
    TEST(by_an_acquire_fence_of_one_who_has_the_new_epoch),
    TEST(by_the_successor_itself),
    TEST(and_by_a_release_that_adds_to_it),
    TEST(new_stamps_are_whole),
    TEST(the_empty_clock_is_had_whatever_the_floors),
    TEST(peek_sees_the_entries),
    TEST(nobody_is_kept_waiting),
};

int main(void) {
  return cmocka_run_group_tests(tests, NULL, NULL);
}
