// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan/engine.h at the soft bound of indices: one is taken again although nobody knows of the old
// thread's end. Violations may be missed, none is invented (G1).

#include "scenario.h"

static struct rsan_thread *others[RSAN_THREAD_INDEX_SOFT_MAX];

static void free_others(void) {
  for (uint32_t i = 0; i < RSAN_THREAD_INDEX_SOFT_MAX; i++) {
    rsan_thread_free(others[i]);
    others[i] = NULL;
  }
}

// T1 ends, and the next thread gets its index: that becomes T4. Returns T1, which may be joined.
static struct rsan_thread *succeed_t1_by_force(struct scenario *s) {
  uint32_t index = s->threads[T1]->hb.index;
  for (uint32_t i = SCENARIO_THREADS; i < RSAN_THREAD_INDEX_SOFT_MAX; i++)
    others[i] = rsan_thread_create(s->engine, NULL, 0);
  struct rsan_thread *old = s->threads[T1];
  s->threads[T1] = NULL;
  rsan_thread_finish(old);
  scenario_replace_thread(s, T4, rsan_thread_create(s->engine, NULL, 0));
  assert_int_equal(s->threads[T4]->hb.index, index);
  assert_int_equal(stat(s, RSAN_STAT_forced_reuse), 1);
  return old;
}

// Through an object of its own.
static void pass(struct scenario *s, int from, int to) {
  struct rsan_sync *sync = rsan_sync_new(s->engine);
  rsan_release(s->threads[from], sync, RSAN_CERTAIN);
  rsan_acquire(s->threads[to], sync, RSAN_CERTAIN);
  rsan_sync_free(sync);
}

// The old thread's writes count as not visible from then on, the new one's are.
static void a_forced_reuse_hides_the_old_writes(void **state) {
  struct scenario *s = *state;
  store(s, T1, X, 1, RSAN_RELAXED);
  rsan_thread_free(succeed_t1_by_force(s));
  store(s, T4, Y, 1, RSAN_RELAXED);
  load(s, T2, Y, RSAN_RELAXED);
  assert_false(load(s, T2, X, RSAN_RELAXED)); // T4 has not seen X's write
  scenario_poke(s, X, 0);
  store(s, T4, X, 3, RSAN_RELAXED);
  store(s, T4, Y, 2, RSAN_RELAXED);
  load(s, T2, Y, RSAN_RELAXED);
  assert_true(load(s, T2, X, RSAN_RELAXED));
  free_others();
}

// T3 writes X. T1 knows that, releases it, and ends; T4 gets its index and tells T2 of its new
// epoch, which is above all of T1's. Then T2 comes to what T1 had released: to say that it has it
// already would be a false alarm, for X's write is in an SC order before T2, by Y.
enum way { BY_NOTHING, BY_LOAD, BY_FENCE_AFTER_LOAD, BY_RMW, BY_LOCK, BY_JOIN, BY_SC_FENCE };

static bool misses_x(struct scenario *s, enum way way) {
  struct rsan_sync *mutex = rsan_sync_new(s->engine);
  store(s, T3, X, 1, RSAN_RELAXED);
  pass(s, T3, T1);
  store(s, T1, Z, 1, RSAN_RELEASE);
  rsan_release(s->threads[T1], mutex, RSAN_CERTAIN);
  if (way == BY_SC_FENCE)
    fence(s, T1, RSAN_SEQ_CST);
  struct rsan_thread *old = succeed_t1_by_force(s);
  pass(s, T4, T2);
  if (way == BY_LOAD)
    load(s, T2, Z, RSAN_ACQUIRE);
  if (way == BY_FENCE_AFTER_LOAD)
    load(s, T2, Z, RSAN_RELAXED);
  if (way == BY_RMW) // T4 adds to what T1 has released, and T2 comes to that
    add(s, T4, Z, 1, RSAN_RELEASE);
  if (way == BY_RMW)
    load(s, T2, Z, RSAN_ACQUIRE);
  if (way == BY_LOCK)
    rsan_acquire(s->threads[T2], mutex, RSAN_CERTAIN);
  if (way == BY_JOIN)
    rsan_thread_join(s->threads[T2], old);
  fence(s, T2, way == BY_SC_FENCE ? RSAN_SEQ_CST : RSAN_ACQUIRE);
  rsan_thread_free(old);
  rsan_sync_free(mutex);
  store(s, T3, Y, 1, RSAN_RELAXED);
  load(s, T2, Y, RSAN_RELAXED);
  bool flagged = load(s, T2, X, RSAN_RELAXED);
  free_others();
  return flagged;
}

static void who_acquires_nothing_of_it_misses_x(void **state) {
  assert_true(misses_x(*state, BY_NOTHING));
}
static void an_acquire_load_takes_all_of_it(void **state) {
  assert_false(misses_x(*state, BY_LOAD));
}
static void so_does_an_acquire_fence(void **state) {
  assert_false(misses_x(*state, BY_FENCE_AFTER_LOAD));
}
static void and_a_load_of_what_an_rmw_added_to_it(void **state) {
  assert_false(misses_x(*state, BY_RMW));
}
static void and_a_lock(void **state) {
  assert_false(misses_x(*state, BY_LOCK));
}
static void and_a_join(void **state) {
  assert_false(misses_x(*state, BY_JOIN));
}
static void and_an_sc_fence(void **state) {
  assert_false(misses_x(*state, BY_SC_FENCE));
}

// Through a withdrawn location everybody synchronises.
static bool misses_x_by_a_withdrawn_location(struct scenario *s, bool withdrawn) {
  store(s, T3, X, 1, RSAN_RELAXED);
  pass(s, T3, T1);
  store(s, T1, Z, 1, RSAN_RELEASE);
  rsan_thread_free(succeed_t1_by_force(s));
  pass(s, T4, T2);
  if (withdrawn)
    rsan_location_withdraw(s->engine, s->locations[Z], 8);
  load(s, T2, Z, RSAN_RELAXED);
  store(s, T3, Y, 1, RSAN_RELAXED);
  load(s, T2, Y, RSAN_RELAXED);
  bool flagged = load(s, T2, X, RSAN_RELAXED);
  free_others();
  return flagged;
}

static void a_withdrawn_location_takes_all_of_it(void **state) {
  assert_false(misses_x_by_a_withdrawn_location(*state, true));
}
static void a_relaxed_load_does_not(void **state) {
  assert_true(misses_x_by_a_withdrawn_location(*state, false));
}

#define TEST(name) RSAN_EVERY_ENGINE(name)
static const struct CMUnitTest tests[] = {
    RSAN_ENGINE(a_forced_reuse_hides_the_old_writes, bounded),
    RSAN_ENGINE(a_forced_reuse_hides_the_old_writes, exact),
    TEST(who_acquires_nothing_of_it_misses_x),
    TEST(an_acquire_load_takes_all_of_it),
    TEST(so_does_an_acquire_fence),
    TEST(and_a_load_of_what_an_rmw_added_to_it),
    TEST(and_a_lock),
    TEST(and_a_join),
    TEST(and_an_sc_fence),
    TEST(a_withdrawn_location_takes_all_of_it),
    TEST(a_relaxed_load_does_not),
};

int main(void) {
  return cmocka_run_group_tests(tests, NULL, NULL);
}
