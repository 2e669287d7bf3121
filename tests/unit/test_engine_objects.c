// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan/engine.h: threads, sync objects and their edges, certain and uncertain; indices of threads.

#include "scenario.h"

// After T1's write of X: an SC order from T1 to `reader` that is no happens-before, so that X is
// missed if the reader does not know it. Is it?
static bool misses_x(struct scenario *s, int reader) {
  store(s, T1, Z, 1, RSAN_RELAXED);
  load(s, reader, Z, RSAN_RELAXED);
  return load(s, reader, X, RSAN_RELAXED);
}

// --- create and join ---

static void a_created_thread_knows_what_came_before(void **state) {
  struct scenario *s = *state;
  store(s, T1, X, 1, RSAN_RELAXED);
  scenario_replace_thread(s, T2, rsan_thread_create(s->engine, s->threads[T1], 0));
  assert_false(misses_x(s, T2));
}

static void not_what_came_after(void **state) {
  struct scenario *s = *state;
  scenario_replace_thread(s, T2, rsan_thread_create(s->engine, s->threads[T1], 0));
  store(s, T1, X, 1, RSAN_RELAXED);
  assert_true(misses_x(s, T2));
}

static void a_thread_without_creator_knows_nothing(void **state) {
  struct scenario *s = *state;
  store(s, T1, X, 1, RSAN_RELAXED);
  scenario_replace_thread(s, T2, rsan_thread_create(s->engine, NULL, 0));
  assert_true(misses_x(s, T2));
}

static void a_created_thread_has_the_creators_sc_view(void **state) {
  struct scenario *s = *state;
  store(s, T1, X, 1, RSAN_RELAXED);
  store(s, T1, Y, 1, RSAN_RELAXED);
  load(s, T2, Y, RSAN_RELAXED); // T2 sees X's write and does not know it
  scenario_replace_thread(s, T3, rsan_thread_create(s->engine, s->threads[T2], 0));
  assert_true(load(s, T3, X, RSAN_RELAXED));
}

// T_r starts empty: the creator's release fence is not the child's.
static void a_created_thread_releases_nothing_by_relaxed_writes(void **state) {
  struct scenario *s = *state;
  store(s, T1, X, 1, RSAN_RELAXED);
  fence(s, T1, RSAN_RELEASE);
  scenario_replace_thread(s, T2, rsan_thread_create(s->engine, s->threads[T1], 0));
  store(s, T2, Y, 1, RSAN_RELAXED);
  load(s, T3, Y, RSAN_ACQUIRE);
  assert_true(load(s, T3, X, RSAN_RELAXED));
}

static void the_creator_does_by_relaxed_writes(void **state) {
  struct scenario *s = *state;
  store(s, T1, X, 1, RSAN_RELAXED);
  fence(s, T1, RSAN_RELEASE);
  store(s, T1, Y, 1, RSAN_RELAXED);
  load(s, T3, Y, RSAN_ACQUIRE);
  assert_false(load(s, T3, X, RSAN_RELAXED));
}

static void a_joiner_knows_what_the_thread_did(void **state) {
  struct scenario *s = *state;
  store(s, T1, X, 1, RSAN_RELAXED);
  store(s, T1, Y, 1, RSAN_RELAXED);
  rsan_thread_finish(s->threads[T1]);
  rsan_thread_join(s->threads[T2], s->threads[T1]);
  assert_false(load(s, T2, X, RSAN_RELAXED));
}

static void who_does_not_join_does_not(void **state) {
  struct scenario *s = *state;
  store(s, T1, X, 1, RSAN_RELAXED);
  store(s, T1, Y, 1, RSAN_RELAXED);
  rsan_thread_finish(s->threads[T1]);
  load(s, T2, Y, RSAN_RELAXED);
  assert_true(load(s, T2, X, RSAN_RELAXED));
}

// Join gives the SC view: T3 joins T2, who has seen X's write by Y.
static void a_joiner_has_the_threads_sc_view(void **state) {
  struct scenario *s = *state;
  store(s, T1, X, 1, RSAN_RELAXED);
  store(s, T1, Y, 1, RSAN_RELAXED);
  load(s, T2, Y, RSAN_RELAXED);
  rsan_thread_finish(s->threads[T2]);
  rsan_thread_join(s->threads[T3], s->threads[T2]);
  assert_true(load(s, T3, X, RSAN_RELAXED));
}

// T3 has seen all that T2 did, then T2 learns of X's write by a lock: by T1, who has seen it and
// does not know it. T3 joins T2.
static bool misses_x_after_join(struct scenario *s, bool learns) {
  struct rsan_sync *mutex = rsan_sync_new(s->engine);
  store(s, T4, X, 1, RSAN_RELAXED);
  store(s, T4, Y, 1, RSAN_RELAXED);
  load(s, T1, Y, RSAN_RELAXED);
  rsan_release(s->threads[T1], mutex, RSAN_CERTAIN);
  store(s, T2, Z, 1, RSAN_RELAXED);
  load(s, T3, Z, RSAN_RELAXED);
  if (learns)
    rsan_acquire(s->threads[T2], mutex, RSAN_CERTAIN);
  rsan_sync_free(mutex);
  rsan_thread_finish(s->threads[T2]);
  rsan_thread_join(s->threads[T3], s->threads[T2]);
  return load(s, T3, X, RSAN_RELAXED);
}

static void a_joiner_has_what_the_thread_learned_last(void **state) {
  assert_true(misses_x_after_join(*state, true));
}
static void and_no_more(void **state) {
  assert_false(misses_x_after_join(*state, false));
}

static void an_acquire_fence_keeps_what_create_gave(void **state) {
  struct scenario *s = *state;
  store(s, T1, X, 1, RSAN_RELAXED);
  scenario_replace_thread(s, T2, rsan_thread_create(s->engine, s->threads[T1], 0));
  fence(s, T2, RSAN_ACQUIRE);
  assert_false(misses_x(s, T2));
}

static void an_acquire_fence_keeps_what_join_gave(void **state) {
  struct scenario *s = *state;
  store(s, T1, X, 1, RSAN_RELAXED);
  rsan_thread_finish(s->threads[T1]);
  rsan_thread_join(s->threads[T2], s->threads[T1]);
  fence(s, T2, RSAN_ACQUIRE);
  assert_false(load(s, T2, X, RSAN_RELAXED));
}

// --- sync objects. T1 writes X and releases; T2 acquires. ---

static struct rsan_sync *released_x(struct scenario *s, enum rsan_edge edge) {
  struct rsan_sync *sync = rsan_sync_new(s->engine);
  store(s, T1, X, 1, RSAN_RELAXED);
  rsan_release(s->threads[T1], sync, edge);
  return sync;
}

static void unlock_and_lock_pass_happens_before(void **state) {
  struct scenario *s = *state;
  struct rsan_sync *sync = released_x(s, RSAN_CERTAIN);
  rsan_acquire(s->threads[T2], sync, RSAN_CERTAIN);
  rsan_sync_free(sync);
  assert_false(misses_x(s, T2));
}

static void unlock_without_lock_does_not(void **state) {
  struct scenario *s = *state;
  rsan_sync_free(released_x(s, RSAN_CERTAIN));
  assert_true(misses_x(s, T2));
}

static void what_follows_the_unlock_is_not_passed(void **state) {
  struct scenario *s = *state;
  struct rsan_sync *sync = rsan_sync_new(s->engine);
  rsan_release(s->threads[T1], sync, RSAN_CERTAIN);
  store(s, T1, X, 1, RSAN_RELAXED);
  rsan_acquire(s->threads[T2], sync, RSAN_CERTAIN);
  rsan_sync_free(sync);
  assert_true(misses_x(s, T2));
}

static void uncertain_edges_pass_happens_before(void **state) {
  struct scenario *s = *state;
  struct rsan_sync *sync = released_x(s, RSAN_UNCERTAIN);
  rsan_acquire(s->threads[T2], sync, RSAN_UNCERTAIN);
  rsan_sync_free(sync);
  assert_false(misses_x(s, T2));
}

// T3 has seen X's write by Y, does not know it, and hands on to T2 what it has seen.
static bool passes_sc_order(struct scenario *s, enum rsan_edge release, enum rsan_edge acquire) {
  store(s, T1, X, 1, RSAN_RELAXED);
  store(s, T1, Y, 1, RSAN_RELAXED);
  load(s, T3, Y, RSAN_RELAXED);
  struct rsan_sync *sync = rsan_sync_new(s->engine);
  rsan_release(s->threads[T3], sync, release);
  rsan_acquire(s->threads[T2], sync, acquire);
  rsan_sync_free(sync);
  return load(s, T2, X, RSAN_RELAXED);
}

static void certain_edges_pass_sc_order(void **state) {
  assert_true(passes_sc_order(*state, RSAN_CERTAIN, RSAN_CERTAIN));
}
static void an_uncertain_release_passes_none(void **state) {
  assert_false(passes_sc_order(*state, RSAN_UNCERTAIN, RSAN_CERTAIN));
}
static void an_uncertain_acquire_takes_none(void **state) {
  assert_false(passes_sc_order(*state, RSAN_CERTAIN, RSAN_UNCERTAIN));
}

// T1 releases X, then T2 releases to the same object; T3 acquires.
static bool known_after_two_releases(struct scenario *s, bool merge) {
  struct rsan_sync *sync = released_x(s, RSAN_CERTAIN);
  if (merge)
    rsan_release_merge(s->threads[T2], sync, RSAN_CERTAIN);
  else
    rsan_release(s->threads[T2], sync, RSAN_CERTAIN);
  rsan_acquire(s->threads[T3], sync, RSAN_CERTAIN);
  rsan_sync_free(sync);
  return !misses_x(s, T3);
}

static void release_replaces(void **state) {
  assert_false(known_after_two_releases(*state, false));
}
static void release_merge_adds(void **state) {
  assert_true(known_after_two_releases(*state, true));
}

static void an_acquire_fence_keeps_what_a_lock_gave(void **state) {
  struct scenario *s = *state;
  struct rsan_sync *sync = released_x(s, RSAN_CERTAIN);
  rsan_acquire(s->threads[T2], sync, RSAN_CERTAIN);
  rsan_sync_free(sync);
  fence(s, T2, RSAN_ACQUIRE);
  assert_false(misses_x(s, T2));
}

// --- acquire_location: an annotation beside a relaxed access ---

static bool known_through_y(struct scenario *s, enum rsan_order order, bool annotated) {
  store(s, T1, X, 1, RSAN_RELAXED);
  store(s, T1, Y, 1, order);
  load(s, T2, Y, RSAN_RELAXED);
  if (annotated)
    rsan_acquire_location(s->threads[T2], s->locations[Y]);
  fence(s, T2, RSAN_RELAXED);
  return !load(s, T2, X, RSAN_RELAXED);
}

static void acquire_location_is_an_acquire_load(void **state) {
  assert_true(known_through_y(*state, RSAN_RELEASE, true));
}
static void without_it_the_load_is_relaxed(void **state) {
  assert_false(known_through_y(*state, RSAN_RELEASE, false));
}
static void acquire_location_takes_what_was_released(void **state) {
  assert_false(known_through_y(*state, RSAN_RELAXED, true));
}

static void acquire_location_makes_no_sc_order(void **state) {
  struct scenario *s = *state;
  store(s, T3, X, 1, RSAN_RELAXED);
  store(s, T3, Z, 1, RSAN_RELAXED);
  load(s, T1, Z, RSAN_RELAXED); // T1 has seen X's write and does not know it
  store(s, T1, Y, 1, RSAN_RELEASE);
  rsan_acquire_location(s->threads[T2], s->locations[Y]);
  assert_false(load(s, T2, X, RSAN_RELAXED));
}

static void acquire_location_of_a_withdrawn_one(void **state) {
  struct scenario *s = *state;
  store(s, T1, X, 1, RSAN_RELAXED);
  store(s, T1, Y, 1, RSAN_RELEASE);
  rsan_location_withdraw(s->engine, s->locations[Y], 8);
  rsan_acquire_location(s->threads[T2], s->locations[Y]);
  assert_false(misses_x(s, T2));
}

// --- indices ---

static void a_joined_threads_index_goes_to_the_joiners_next_child(void **state) {
  struct scenario *s = *state;
  uint32_t index = s->threads[T1]->hb.index;
  rsan_thread_finish(s->threads[T1]);
  rsan_thread_join(s->threads[T2], s->threads[T1]);
  scenario_replace_thread(s, T1, rsan_thread_create(s->engine, s->threads[T2], 0));
  assert_int_equal(s->threads[T1]->hb.index, index);
  assert_int_equal(stat(s, RSAN_STAT_index_reuse), 1);
}

static void not_to_another_threads_child(void **state) {
  struct scenario *s = *state;
  rsan_thread_finish(s->threads[T1]);
  rsan_thread_join(s->threads[T2], s->threads[T1]);
  scenario_replace_thread(s, T1, rsan_thread_create(s->engine, s->threads[T3], 0));
  assert_int_equal(s->threads[T1]->hb.index, SCENARIO_THREADS);
  assert_int_equal(stat(s, RSAN_STAT_index_reuse), 0);
}

// The second owner of the index writes; who knows the first one alone does not know that.
static void the_second_owners_writes_are_its_own(void **state) {
  struct scenario *s = *state;
  store(s, T1, Y, 1, RSAN_RELEASE);
  load(s, T3, Y, RSAN_ACQUIRE); // knows the first owner's only epoch
  rsan_thread_finish(s->threads[T1]);
  rsan_thread_join(s->threads[T2], s->threads[T1]);
  scenario_replace_thread(s, T1, rsan_thread_create(s->engine, s->threads[T2], 0));
  store(s, T1, X, 1, RSAN_RELAXED);
  assert_true(misses_x(s, T3));
}

#define TEST(name) RSAN_EVERY_ENGINE(name)
static const struct CMUnitTest tests[] = {
    TEST(a_created_thread_knows_what_came_before),
    TEST(not_what_came_after),
    TEST(a_thread_without_creator_knows_nothing),
    TEST(a_created_thread_has_the_creators_sc_view),
    TEST(a_created_thread_releases_nothing_by_relaxed_writes),
    TEST(the_creator_does_by_relaxed_writes),
    TEST(a_joiner_knows_what_the_thread_did),
    TEST(who_does_not_join_does_not),
    TEST(a_joiner_has_the_threads_sc_view),
    TEST(a_joiner_has_what_the_thread_learned_last),
    TEST(and_no_more),
    TEST(an_acquire_fence_keeps_what_create_gave),
    TEST(an_acquire_fence_keeps_what_join_gave),
    TEST(unlock_and_lock_pass_happens_before),
    TEST(unlock_without_lock_does_not),
    TEST(what_follows_the_unlock_is_not_passed),
    TEST(uncertain_edges_pass_happens_before),
    TEST(certain_edges_pass_sc_order),
    TEST(an_uncertain_release_passes_none),
    TEST(an_uncertain_acquire_takes_none),
    TEST(release_replaces),
    TEST(release_merge_adds),
    TEST(an_acquire_fence_keeps_what_a_lock_gave),
    TEST(acquire_location_is_an_acquire_load),
    TEST(without_it_the_load_is_relaxed),
    TEST(acquire_location_takes_what_was_released),
    TEST(acquire_location_makes_no_sc_order),
    TEST(acquire_location_of_a_withdrawn_one),
    TEST(a_joined_threads_index_goes_to_the_joiners_next_child),
    TEST(not_to_another_threads_child),
    TEST(the_second_owners_writes_are_its_own),
};

int main(void) {
  return cmocka_run_group_tests(tests, NULL, NULL);
}
