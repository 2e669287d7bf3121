// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan/race/hb.h: happens-before, each rule beside a twin that differs in one order or one fence.
// (How clocks are shared, and joins are saved: test_hb_stamps.c.)
// Thread p's epoch counts: what p did in epoch k is known to q when Vc of q has k at p.

#include "unit.h"

#include "race/hb.h"

enum { P, Q, R, THREADS };

static struct rsan_hb threads[THREADS];
static const struct rsan_index_table indices; // no forced reuse
static struct rsan_stamp w, f;                // of a location, of the SC fences' location

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
  rsan_stamp_clear(&w);
  rsan_stamp_clear(&f);
  return unit_check_memory();
}

static void read(int thread, enum rsan_order order) {
  rsan_hb_read(&threads[thread], &w, order);
}
static void write(int thread, enum rsan_order order) {
  rsan_hb_write(&threads[thread], &w, order);
}
static void rmw(int thread, enum rsan_order order) {
  rsan_hb_rmw(&threads[thread], &w, order);
}
static void fence(int thread, enum rsan_order order) {
  rsan_hb_fence(&threads[thread], order);
}
static void fence_sc(int thread) {
  rsan_hb_fence_sc(&threads[thread], &f);
}

// Newest epoch of `of` that `thread` knows by happens-before.
static uint64_t known(int thread, uint32_t of) {
  return rsan_stamp_get(&threads[thread].c, of);
}

static void release_write_to_acquire_read(void **state) {
  (void)state;
  write(P, RSAN_RELEASE);
  read(Q, RSAN_ACQUIRE);
  assert_int_equal(known(Q, P), 1);
}

static void release_write_to_relaxed_read(void **state) {
  (void)state;
  write(P, RSAN_RELEASE);
  read(Q, RSAN_RELAXED);
  assert_int_equal(known(Q, P), 0);
}

static void relaxed_write_to_acquire_read(void **state) {
  (void)state;
  write(P, RSAN_RELAXED);
  read(Q, RSAN_ACQUIRE);
  assert_int_equal(known(Q, P), 0);
}

static void consume_read_is_an_acquire_read(void **state) {
  (void)state;
  write(P, RSAN_RELEASE);
  read(Q, RSAN_CONSUME);
  assert_int_equal(known(Q, P), 1);
}

static void acquire_fence_after_a_relaxed_read(void **state) {
  (void)state;
  write(P, RSAN_RELEASE);
  read(Q, RSAN_RELAXED);
  fence(Q, RSAN_ACQUIRE);
  assert_int_equal(known(Q, P), 1);
}

static void release_fence_after_a_relaxed_read(void **state) {
  (void)state;
  write(P, RSAN_RELEASE);
  read(Q, RSAN_RELAXED);
  fence(Q, RSAN_RELEASE);
  assert_int_equal(known(Q, P), 0);
}

static void acquire_fence_before_a_relaxed_read(void **state) {
  (void)state;
  write(P, RSAN_RELEASE);
  fence(Q, RSAN_ACQUIRE);
  read(Q, RSAN_RELAXED);
  assert_int_equal(known(Q, P), 0);
}

static void release_fence_before_a_relaxed_write(void **state) {
  (void)state;
  fence(P, RSAN_RELEASE);
  write(P, RSAN_RELAXED);
  read(Q, RSAN_ACQUIRE);
  assert_int_equal(known(Q, P), 1);
}

static void acquire_fence_before_a_relaxed_write(void **state) {
  (void)state;
  fence(P, RSAN_ACQUIRE);
  write(P, RSAN_RELAXED);
  read(Q, RSAN_ACQUIRE);
  assert_int_equal(known(Q, P), 0);
}

static void release_fence_after_a_relaxed_write(void **state) {
  (void)state;
  write(P, RSAN_RELAXED);
  fence(P, RSAN_RELEASE);
  read(Q, RSAN_ACQUIRE);
  assert_int_equal(known(Q, P), 0);
}

static void a_release_fence_releases_what_came_before_it(void **state) {
  (void)state;
  fence(P, RSAN_RELEASE); // releases epoch 1
  fence(P, RSAN_RELEASE); // releases epoch 2
  write(P, RSAN_RELAXED); // in epoch 3
  read(Q, RSAN_ACQUIRE);
  assert_int_equal(known(Q, P), 2);
}

static void acqrel_fence_acquires_and_releases(void **state) {
  (void)state;
  write(P, RSAN_RELEASE);
  read(Q, RSAN_RELAXED);
  fence(Q, RSAN_ACQ_REL);
  write(Q, RSAN_RELAXED);
  read(R, RSAN_ACQUIRE);
  assert_int_equal(known(Q, P), 1);
  assert_int_equal(known(R, P), 1); // through Q
  assert_int_equal(known(R, Q), 1);
}

static void relaxed_fence_does_nothing(void **state) {
  (void)state;
  write(P, RSAN_RELEASE);
  read(Q, RSAN_RELAXED);
  fence(Q, RSAN_RELAXED);
  write(Q, RSAN_RELAXED);
  read(R, RSAN_ACQUIRE);
  assert_int_equal(known(Q, P), 0);
  assert_int_equal(known(R, Q), 0);
  assert_int_equal(known(Q, Q), 1); // nothing was released
}

// RC20: a release sequence is a release and the read-modify-writes after it.
static void relaxed_rmw_continues_the_release_sequence(void **state) {
  (void)state;
  write(P, RSAN_RELEASE);
  rmw(Q, RSAN_RELAXED);
  read(R, RSAN_ACQUIRE);
  assert_int_equal(known(R, P), 1);
  assert_int_equal(known(R, Q), 0);
  assert_int_equal(known(Q, P), 0);
}

static void relaxed_write_ends_the_release_sequence(void **state) {
  (void)state;
  write(P, RSAN_RELEASE);
  write(Q, RSAN_RELAXED);
  read(R, RSAN_ACQUIRE);
  assert_int_equal(known(R, P), 0);
}

static void relaxed_write_of_the_same_thread_ends_it_too(void **state) {
  (void)state;
  write(P, RSAN_RELEASE);
  write(P, RSAN_RELAXED);
  read(R, RSAN_ACQUIRE);
  assert_int_equal(known(R, P), 0);
}

static void release_rmw_joins_the_release_sequence(void **state) {
  (void)state;
  write(P, RSAN_RELEASE);
  rmw(Q, RSAN_RELEASE);
  read(R, RSAN_ACQUIRE);
  assert_int_equal(known(R, P), 1);
  assert_int_equal(known(R, Q), 1);
  assert_int_equal(known(Q, P), 0); // it has not acquired
}

static void acquire_rmw_acquires_and_does_not_release(void **state) {
  (void)state;
  write(P, RSAN_RELEASE);
  rmw(Q, RSAN_ACQUIRE);
  read(R, RSAN_ACQUIRE);
  assert_int_equal(known(Q, P), 1);
  assert_int_equal(known(R, Q), 0);
}

static void acqrel_rmw_does_both(void **state) {
  (void)state;
  write(P, RSAN_RELEASE);
  rmw(Q, RSAN_ACQ_REL);
  read(R, RSAN_ACQUIRE);
  assert_int_equal(known(Q, P), 1);
  assert_int_equal(known(R, Q), 1);
}

static void release_fence_before_a_relaxed_rmw(void **state) {
  (void)state;
  fence(Q, RSAN_RELEASE);
  rmw(Q, RSAN_RELAXED);
  read(R, RSAN_ACQUIRE);
  assert_int_equal(known(R, Q), 1);
}

static void acquire_fence_after_a_relaxed_rmw(void **state) {
  (void)state;
  write(P, RSAN_RELEASE);
  rmw(Q, RSAN_RELAXED);
  fence(Q, RSAN_ACQUIRE);
  assert_int_equal(known(Q, P), 1);
}

// What a thread does after its release is in the next epoch.
static void a_release_ends_the_epoch(void **state) {
  (void)state;
  write(P, RSAN_RELEASE);
  assert_int_equal(known(P, P), 2);
  rmw(P, RSAN_RELEASE);
  assert_int_equal(known(P, P), 3);
  fence(P, RSAN_RELEASE);
  assert_int_equal(known(P, P), 4);
  rsan_hb_tick(&threads[P]);
  assert_int_equal(known(P, P), 5);
  read(Q, RSAN_ACQUIRE);
  assert_int_equal(known(Q, P), 2); // that of the newest write
}

static void what_does_not_release_stays_in_the_epoch(void **state) {
  (void)state;
  write(P, RSAN_RELAXED);
  rmw(P, RSAN_RELAXED);
  rmw(P, RSAN_ACQUIRE);
  read(P, RSAN_ACQUIRE);
  fence(P, RSAN_ACQUIRE);
  assert_int_equal(known(P, P), 1);
}

static void happens_before_is_transitive(void **state) {
  (void)state;
  write(P, RSAN_RELEASE);
  read(Q, RSAN_ACQUIRE);
  write(Q, RSAN_RELEASE);
  read(R, RSAN_ACQUIRE);
  assert_int_equal(known(R, P), 1);
}

static void a_relaxed_hop_breaks_the_chain(void **state) {
  (void)state;
  write(P, RSAN_RELEASE);
  read(Q, RSAN_RELAXED);
  write(Q, RSAN_RELEASE);
  read(R, RSAN_ACQUIRE);
  assert_int_equal(known(R, P), 0);
  assert_int_equal(known(R, Q), 1);
}

static void sc_fences_are_ordered_by_happens_before(void **state) {
  (void)state;
  fence_sc(P);
  fence_sc(Q);
  assert_int_equal(known(Q, P), 1);
  assert_int_equal(known(P, Q), 0);
}

static void acqrel_fences_are_not(void **state) {
  (void)state;
  fence(P, RSAN_ACQ_REL);
  fence(Q, RSAN_ACQ_REL);
  assert_int_equal(known(Q, P), 0);
}

static void sc_fence_is_an_acquire_fence_first(void **state) {
  (void)state;
  write(P, RSAN_RELEASE);
  read(Q, RSAN_RELAXED);
  fence_sc(Q);
  fence_sc(R);
  assert_int_equal(known(Q, P), 1);
  assert_int_equal(known(R, P), 1); // so what it acquires goes through f
}

static void sc_fence_is_a_release_fence_last(void **state) {
  (void)state;
  fence_sc(P);
  fence_sc(Q);
  write(Q, RSAN_RELAXED);
  read(R, RSAN_ACQUIRE);
  assert_int_equal(known(R, P), 1); // what came through f is released
}

static void sc_fence_ends_the_epoch_twice(void **state) {
  (void)state;
  fence_sc(P);
  assert_int_equal(known(P, P), 3);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
  const struct CMUnitTest tests[] = {
      TEST(release_write_to_acquire_read),
      TEST(release_write_to_relaxed_read),
      TEST(relaxed_write_to_acquire_read),
      TEST(consume_read_is_an_acquire_read),
      TEST(acquire_fence_after_a_relaxed_read),
      TEST(release_fence_after_a_relaxed_read),
      TEST(acquire_fence_before_a_relaxed_read),
      TEST(release_fence_before_a_relaxed_write),
      TEST(acquire_fence_before_a_relaxed_write),
      TEST(release_fence_after_a_relaxed_write),
      TEST(a_release_fence_releases_what_came_before_it),
      TEST(acqrel_fence_acquires_and_releases),
      TEST(relaxed_fence_does_nothing),
      TEST(relaxed_rmw_continues_the_release_sequence),
      TEST(relaxed_write_ends_the_release_sequence),
      TEST(relaxed_write_of_the_same_thread_ends_it_too),
      TEST(release_rmw_joins_the_release_sequence),
      TEST(acquire_rmw_acquires_and_does_not_release),
      TEST(acqrel_rmw_does_both),
      TEST(release_fence_before_a_relaxed_rmw),
      TEST(acquire_fence_after_a_relaxed_rmw),
      TEST(a_release_ends_the_epoch),
      TEST(what_does_not_release_stays_in_the_epoch),
      TEST(happens_before_is_transitive),
      TEST(a_relaxed_hop_breaks_the_chain),
      TEST(sc_fences_are_ordered_by_happens_before),
      TEST(acqrel_fences_are_not),
      TEST(sc_fence_is_an_acquire_fence_first),
      TEST(sc_fence_is_a_release_fence_last),
      TEST(sc_fence_ends_the_epoch_twice),
  };
#undef TEST
  return cmocka_run_group_tests(tests, NULL, NULL);
}
