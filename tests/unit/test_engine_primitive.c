// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan_primitive_access of rsan/engine.h: an access inside a lock or a channel that is known to be
// right. Each test has its twin.

#include "scenario.h"

static struct rsan_access access(enum rsan_access_kind kind, enum rsan_order order) {
  return (struct rsan_access){.kind = kind, .order = order, .written = {7, 0}};
}

// T1 writes X and then Y. T3 has seen Y, and T2 meets T3 at Z, where nothing is released.
static bool circle_through_z(struct scenario *s, bool in_primitive) {
  store(s, T1, X, 1, RSAN_RELAXED);
  store(s, T1, Y, 1, RSAN_RELAXED);
  load(s, T3, Y, RSAN_RELAXED);
  if (in_primitive) {
    primitive(s, T3, Z, access(RSAN_WRITE, RSAN_RELAXED));
    primitive(s, T2, Z, access(RSAN_READ, RSAN_RELAXED));
  } else {
    store(s, T3, Z, 7, RSAN_RELAXED);
    load(s, T2, Z, RSAN_RELAXED);
  }
  return load(s, T2, X, RSAN_RELAXED);
}

static void no_circle_passes_through_it(void **state) {
  assert_false(circle_through_z(*state, true));
}
static void one_passes_through_an_ordinary_access(void **state) {
  assert_true(circle_through_z(*state, false));
}

// T1 writes X before it unlocks Z, T2 has locked Z and learns of X's write by Y.
static bool knows_x(struct scenario *s, enum rsan_order unlock, enum rsan_order lock) {
  store(s, T1, X, 1, RSAN_RELAXED);
  primitive(s, T1, Z, access(RSAN_WRITE, unlock));
  store(s, T1, Y, 1, RSAN_RELAXED);
  primitive(s, T2, Z, access(RSAN_RMW, lock));
  load(s, T2, Y, RSAN_RELAXED);
  return !load(s, T2, X, RSAN_RELAXED);
}

static void release_and_acquire_order(void **state) {
  assert_true(knows_x(*state, RSAN_RELEASE, RSAN_ACQUIRE));
}
static void seq_cst_orders(void **state) {
  assert_true(knows_x(*state, RSAN_SEQ_CST, RSAN_SEQ_CST));
}
// Builds that verify have the reference clocks beside the compact ones, and those take the worst
// case of such an access: it acquires and releases.
static void skip_if_it_always_orders(void) {
#ifdef RSAN_VERIFY
  skip();
#endif
}

static void a_relaxed_write_does_not(void **state) {
  skip_if_it_always_orders();
  assert_false(knows_x(*state, RSAN_RELAXED, RSAN_ACQUIRE));
}
static void a_relaxed_read_does_not(void **state) {
  skip_if_it_always_orders();
  assert_false(knows_x(*state, RSAN_RELEASE, RSAN_RELAXED));
}

// A fence gives a relaxed read of the lock its acquire, as of any access.
static void a_fence_behind_a_relaxed_read_acquires(void **state) {
  struct scenario *s = *state;
  store(s, T1, X, 1, RSAN_RELAXED);
  primitive(s, T1, Z, access(RSAN_WRITE, RSAN_RELEASE));
  store(s, T1, Y, 1, RSAN_RELAXED);
  primitive(s, T2, Z, access(RSAN_READ, RSAN_RELAXED));
  fence(s, T2, RSAN_ACQUIRE);
  load(s, T2, Y, RSAN_RELAXED);
  assert_false(load(s, T2, X, RSAN_RELAXED));
}

// A relaxed read-modify-write continues what was released there; a relaxed store ends it.
static bool knows_x_after(struct scenario *s, enum rsan_access_kind kind) {
  store(s, T1, X, 1, RSAN_RELAXED);
  primitive(s, T1, Z, access(RSAN_WRITE, RSAN_RELEASE));
  primitive(s, T3, Z, access(kind, RSAN_RELAXED));
  primitive(s, T2, Z, access(RSAN_READ, RSAN_ACQUIRE));
  store(s, T1, Y, 1, RSAN_RELAXED);
  load(s, T2, Y, RSAN_RELAXED);
  return !load(s, T2, X, RSAN_RELAXED);
}

static void a_read_modify_write_continues_a_release(void **state) {
  assert_true(knows_x_after(*state, RSAN_RMW));
}
static void a_store_ends_it(void **state) {
  skip_if_it_always_orders();
  assert_false(knows_x_after(*state, RSAN_WRITE));
}

// Nothing is reported on the lock: T2 would miss the unlock at Z.
static bool misses_z(struct scenario *s, bool in_primitive) {
  if (in_primitive)
    primitive(s, T1, Z, access(RSAN_WRITE, RSAN_RELAXED));
  else
    store(s, T1, Z, 7, RSAN_RELAXED);
  store(s, T1, Y, 1, RSAN_RELAXED);
  load(s, T2, Y, RSAN_RELAXED);
  return load(s, T2, Z, RSAN_RELAXED);
}

static void nothing_is_reported_on_it(void **state) {
  assert_false(misses_z(*state, true));
}
static void an_ordinary_write_is_missed(void **state) {
  assert_true(misses_z(*state, false));
}

// What needs no step through the lock is found beside it.
static void a_violation_beside_it_is_found(void **state) {
  struct scenario *s = *state;
  primitive(s, T1, Z, access(RSAN_RMW, RSAN_ACQUIRE));
  primitive(s, T1, Z, access(RSAN_WRITE, RSAN_RELEASE));
  store(s, T1, X, 1, RSAN_RELEASE);
  load(s, T1, Y, RSAN_ACQUIRE);
  primitive(s, T2, Z, access(RSAN_RMW, RSAN_ACQUIRE));
  primitive(s, T2, Z, access(RSAN_WRITE, RSAN_RELEASE));
  store(s, T2, Y, 1, RSAN_RELEASE);
  assert_true(load(s, T2, X, RSAN_ACQUIRE));
}

static void on_a_withdrawn_location(void **state) {
  struct scenario *s = *state;
  rsan_location_withdraw(s->engine, s->locations[Z], 8);
  assert_true(knows_x(s, RSAN_RELEASE, RSAN_ACQUIRE));
}

#define TEST(name) RSAN_EVERY_ENGINE(name)
// The explicit clocks take each such access for acquire and release.
#define EXACT(name) RSAN_ENGINE(name, bounded), RSAN_ENGINE(name, exact)
static const struct CMUnitTest tests[] = {
    EXACT(no_circle_passes_through_it),
    TEST(one_passes_through_an_ordinary_access),
    TEST(release_and_acquire_order),
    TEST(seq_cst_orders),
    EXACT(a_relaxed_write_does_not),
    EXACT(a_relaxed_read_does_not),
    TEST(a_fence_behind_a_relaxed_read_acquires),
    TEST(a_read_modify_write_continues_a_release),
    EXACT(a_store_ends_it),
    TEST(nothing_is_reported_on_it),
    TEST(an_ordinary_write_is_missed),
    TEST(a_violation_beside_it_is_found),
    TEST(on_a_withdrawn_location),
};

int main(void) {
  return cmocka_run_group_tests(tests, NULL, NULL);
}
