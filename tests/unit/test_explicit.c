// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan/lc/explicit.h: how the clocks of docs/internals/ALGORITHM.md section 1's listing move, and
// each correction to the paper's. The checks are in test_explicit_checks.c.

#include "explicit_script.h"

// --- happens-before ---

static void an_accessor_knows_the_version_it_accessed(void **state) {
  (void)state;
  write(P, X, 1, RSAN_RELAXED);
  assert_int_equal(known(P, X), 1);
  assert_int_equal(known(Q, X), 0);
  read(Q, X, RSAN_RELAXED); // correction: lines 5-8 run for reads
  assert_int_equal(known(Q, X), 1);
  rmw(R, X, 2, RSAN_RELAXED);
  assert_int_equal(known(R, X), 2);
}

static void what_was_read_survives_an_acquire_fence(void **state) {
  (void)state;
  write(P, X, 1, RSAN_RELAXED);
  read(Q, X, RSAN_RELAXED);
  rsan_explicit_fence(&threads[Q], RSAN_ACQUIRE, NULL); // T_c := T_a
  assert_int_equal(known(Q, X), 1);
}

static void message_passing(enum rsan_order write_order, enum rsan_order read_order) {
  write(P, Y, 1, RSAN_RELAXED);
  write(P, X, 1, write_order);
  read(Q, X, read_order);
}

static void release_to_acquire(void **state) {
  (void)state;
  message_passing(RSAN_RELEASE, RSAN_ACQUIRE);
  assert_int_equal(known(Q, Y), 1);
}

static void release_to_relaxed(void **state) {
  (void)state;
  message_passing(RSAN_RELEASE, RSAN_RELAXED);
  assert_int_equal(known(Q, Y), 0);
  rsan_explicit_fence(&threads[Q], RSAN_RELEASE, NULL);
  assert_int_equal(known(Q, Y), 0);
  rsan_explicit_fence(&threads[Q], RSAN_ACQUIRE, NULL);
  assert_int_equal(known(Q, Y), 1);
}

static void relaxed_to_acquire(void **state) {
  (void)state;
  message_passing(RSAN_RELAXED, RSAN_ACQUIRE);
  assert_int_equal(known(Q, Y), 0);
}

static void release_fence_and_relaxed_to_acquire(void **state) {
  (void)state;
  write(P, Y, 1, RSAN_RELAXED);
  rsan_explicit_fence(&threads[P], RSAN_RELEASE, NULL);
  write(P, X, 1, RSAN_RELAXED);
  read(Q, X, RSAN_ACQUIRE);
  assert_int_equal(known(Q, Y), 1);
}

static void acquire_fence_and_relaxed_to_acquire(void **state) {
  (void)state;
  write(P, Y, 1, RSAN_RELAXED);
  rsan_explicit_fence(&threads[P], RSAN_ACQUIRE, NULL);
  write(P, X, 1, RSAN_RELAXED);
  read(Q, X, RSAN_ACQUIRE);
  assert_int_equal(known(Q, Y), 0);
}

static void relaxed_rmw_continues_the_release_sequence(void **state) {
  (void)state;
  message_passing(RSAN_RELEASE, RSAN_RELAXED);
  rmw(Q, X, 2, RSAN_RELAXED);
  read(R, X, RSAN_ACQUIRE);
  assert_int_equal(known(R, Y), 1);
}

static void relaxed_write_ends_the_release_sequence(void **state) {
  (void)state;
  message_passing(RSAN_RELEASE, RSAN_RELAXED);
  write(Q, X, 2, RSAN_RELAXED);
  read(R, X, RSAN_ACQUIRE);
  assert_int_equal(known(R, Y), 0);
}

static void acqrel_rmw_acquires_and_releases(void **state) {
  (void)state;
  message_passing(RSAN_RELEASE, RSAN_RELAXED);
  rmw(Q, X, 2, RSAN_ACQ_REL);
  assert_int_equal(known(Q, Y), 1);
  rmw(R, X, 3, RSAN_ACQUIRE);
  assert_int_equal(known(R, Y), 1);
}

static void a_relaxed_write_keeps_the_locations_counter(void **state) {
  (void)state;
  write(P, X, 1, RSAN_RELAXED);
  write(Q, X, 2, RSAN_RELAXED);
  assert_int_equal(known(Q, X), 2);
  write(R, X, 3, RSAN_RELAXED);
  assert_int_equal(known(R, X), 3);
}

static void sc_fences_are_ordered_in_happens_before_only(void **state) {
  (void)state;
  write(P, Y, 1, RSAN_RELAXED);
  rsan_explicit_fence(&threads[P], RSAN_SEQ_CST, f);
  rsan_explicit_fence(&threads[Q], RSAN_SEQ_CST, f);
  assert_int_equal(known(Q, Y), 1);
  assert_int_equal(sc(Q, Y), 0); // not in hbSC
}

static void acqrel_fences_are_in_no_order(void **state) {
  (void)state;
  write(P, Y, 1, RSAN_RELAXED);
  rsan_explicit_fence(&threads[P], RSAN_ACQ_REL, f);
  rsan_explicit_fence(&threads[Q], RSAN_ACQ_REL, f);
  assert_int_equal(known(Q, Y), 0);
}

static void sc_fence_acquires_first_and_releases_last(void **state) {
  (void)state;
  message_passing(RSAN_RELEASE, RSAN_RELAXED);
  rsan_explicit_fence(&threads[Q], RSAN_SEQ_CST, f);
  assert_int_equal(known(Q, Y), 1);
  rsan_explicit_fence(&threads[R], RSAN_SEQ_CST, f);
  assert_int_equal(rsan_clock_get(&threads[R].r[RSAN_ALL], Y), 1); // R's relaxed writes release it
}

// --- SC views ---

static void reads_see_writes(void **state) {
  (void)state;
  write(P, X, 1, RSAN_RELAXED);
  read(Q, X, RSAN_RELAXED);
  assert_int_equal(sc(Q, X), 1);
}

static void reads_do_not_see_reads(void **state) {
  (void)state;
  write(P, Y, 1, RSAN_RELAXED);
  read(P, X, RSAN_RELAXED);
  read(Q, X, RSAN_RELAXED);
  assert_int_equal(sc(Q, Y), 0);
}

static void writes_see_reads(void **state) {
  (void)state;
  write(P, Y, 1, RSAN_RELAXED);
  read(P, X, RSAN_RELAXED);
  write(Q, X, 1, RSAN_RELAXED);
  assert_int_equal(sc(Q, Y), 1);
  assert_int_equal(sc(Q, X), 1);
}

// --- plain writes counted apart (^R) ---

static void an_rmw_is_no_plain_write(void **state) {
  (void)state;
  rmw(P, X, 1, RSAN_RELAXED);
  assert_int_equal(known_plain(P, X), 0);
  assert_int_equal(sc_plain(P, X), 0);
  write(P, X, 2, RSAN_RELAXED);
  assert_int_equal(known(P, X), 2);
  assert_int_equal(known_plain(P, X), 1);
  assert_int_equal(sc(P, X), 2);
  assert_int_equal(sc_plain(P, X), 1);
}

static void plain_views_flow_through_every_access(void **state) {
  (void)state;
  write(P, Y, 1, RSAN_RELAXED);
  rmw(P, X, 1, RSAN_RELAXED); // correction: only the increment asks for a plain write
  rmw(Q, X, 2, RSAN_RELAXED);
  assert_int_equal(sc_plain(Q, Y), 1);
  read(R, X, RSAN_RELAXED);
  assert_int_equal(sc_plain(R, Y), 1);
}

static void plain_happens_before_flows_through_rmws(void **state) {
  (void)state;
  write(P, Y, 1, RSAN_RELAXED);
  rmw(P, X, 1, RSAN_RELEASE);
  rmw(Q, X, 2, RSAN_ACQUIRE);
  assert_int_equal(known_plain(Q, Y), 1);
}

// --- mutexes and threads ---

static void pass(bool released_hb_only, bool acquired_hb_only) {
  struct rsan_explicit_sync sync = {0};
  write(P, Y, 1, RSAN_RELAXED);
  rsan_explicit_release(&threads[P], &sync, released_hb_only);
  write(P, Y, 2, RSAN_RELAXED); // not released
  rsan_explicit_acquire(&threads[Q], &sync, acquired_hb_only);
  RSAN_CLOCKS_CLEAR(&sync);
  assert_int_equal(known(Q, Y), 1);
  assert_int_equal(known_plain(Q, Y), 1);
  rsan_explicit_fence(&threads[Q], RSAN_ACQUIRE, NULL); // T_a has it, too
  assert_int_equal(known(Q, Y), 1);
}

static void a_sync_object_passes_both_orders(void **state) {
  (void)state;
  pass(false, false);
  assert_int_equal(sc(Q, Y), 1);
  assert_int_equal(sc_plain(Q, Y), 1);
  assert_int_equal(rsan_clock_get(&threads[Q].value[RSAN_ALL], 0), 1);
  assert_int_equal(rsan_clock_get(&threads[Q].value[RSAN_PLAIN], 0), 1);
}

static void an_uncertain_release_passes_happens_before_alone(void **state) {
  (void)state;
  pass(true, false);
  assert_int_equal(sc(Q, Y), 0);
  assert_int_equal(rsan_clock_get(&threads[Q].value[RSAN_ALL], 0), 0);
}

static void an_uncertain_acquire_takes_happens_before_alone(void **state) {
  (void)state;
  pass(false, true);
  assert_int_equal(sc(Q, Y), 0);
  assert_int_equal(rsan_clock_get(&threads[Q].value[RSAN_ALL], 0), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, script_begin, script_end)
static const struct CMUnitTest tests[] = {
    TEST(an_accessor_knows_the_version_it_accessed),
    TEST(what_was_read_survives_an_acquire_fence),
    TEST(release_to_acquire),
    TEST(release_to_relaxed),
    TEST(relaxed_to_acquire),
    TEST(release_fence_and_relaxed_to_acquire),
    TEST(acquire_fence_and_relaxed_to_acquire),
    TEST(relaxed_rmw_continues_the_release_sequence),
    TEST(relaxed_write_ends_the_release_sequence),
    TEST(acqrel_rmw_acquires_and_releases),
    TEST(a_relaxed_write_keeps_the_locations_counter),
    TEST(sc_fences_are_ordered_in_happens_before_only),
    TEST(acqrel_fences_are_in_no_order),
    TEST(sc_fence_acquires_first_and_releases_last),
    TEST(reads_see_writes),
    TEST(reads_do_not_see_reads),
    TEST(writes_see_reads),
    TEST(an_rmw_is_no_plain_write),
    TEST(plain_views_flow_through_every_access),
    TEST(plain_happens_before_flows_through_rmws),
    TEST(a_sync_object_passes_both_orders),
    TEST(an_uncertain_release_passes_happens_before_alone),
    TEST(an_uncertain_acquire_takes_happens_before_alone),
};

int main(void) {
  return cmocka_run_group_tests(tests, NULL, NULL);
}
