// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan_location_retire: a thread makes its next locations of those that it has retired, as new
// ones.

#include "scenario.h"

#include "machines/machines.h"

enum { MANY = 3 * RSAN_SPARE_LOCATIONS };

static struct rsan_options with_machines = {.targets = RSAN_TARGET_C11 | RSAN_TARGET_X86};

// X is another object at the same place, made by T1.
static void retire(struct scenario *s) {
  rsan_location_retire(s->threads[T1], s->locations[X]);
  s->locations[X] = rsan_location_new(s->engine, s->threads[T1], 8);
}

static void the_next_one_has_its_memory(void **state) {
  struct scenario *s = *state;
  store(s, T1, X, 1, RSAN_RELEASE);
  const struct rsan_location *old = s->locations[X];
  uint64_t blocks = rsan_host_live_blocks();
  retire(s);
  assert_ptr_equal(s->locations[X], old);
  store(s, T1, X, 1, RSAN_RELEASE);
  assert_int_equal(rsan_host_live_blocks(), blocks);
}

// T2 has seen a write of T1 after one of X, and may miss that: but not where X is another object.
static bool may_miss(struct scenario *s, bool is_another) {
  store(s, T1, X, 1, RSAN_RELAXED);
  store(s, T1, Y, 1, RSAN_RELAXED);
  if (is_another)
    retire(s);
  assert_false(load(s, T2, Y, RSAN_RELAXED));
  return load(s, T2, X, RSAN_RELAXED);
}

static void the_same_object_may_be_stale(void **state) {
  assert_true(may_miss(*state, false));
}

static void another_object_is_not(void **state) {
  assert_false(may_miss(*state, true));
  assert_true(may_miss(*state, false));
}

// T2 acquires X: what T1 has released there is known, unless X is another object.
static uint64_t epoch_known(struct scenario *s, bool is_another) {
  store(s, T1, X, 1, RSAN_RELEASE);
  if (is_another)
    retire(s);
  load(s, T2, X, RSAN_ACQUIRE);
  return rsan_stamp_get(&s->threads[T2]->hb.c, s->threads[T1]->hb.index);
}

static void an_object_synchronises(void **state) {
  assert_true(epoch_known(*state, false) > 0);
}

static void another_object_does_not(void **state) {
  assert_int_equal(epoch_known(*state, true), 0);
}

static void a_large_one_is_freed(void **state) {
  struct scenario *s = *state;
  for (int i = 0; i < 8; i++)
    add(s, i % 2 ? T2 : T1, X, 1, RSAN_ACQ_REL);
  retire(s);
  assert_int_equal(s->threads[T1]->spare_count, 0);
}

static void one_of_explicit_clocks_is_freed(void **state) {
  struct scenario *s = *state;
  rsan_location_retire(s->threads[T1], s->locations[X]);
  assert_int_equal(s->threads[T1]->spare_count, 0);
  s->locations[X] = rsan_location_new(s->engine, s->threads[T1], 8);
}

// T1 knows of its last access whether it has had the newest version.
static bool had(struct scenario *s, bool is_another) {
  store(s, T1, X, 1, RSAN_RELAXED);
  if (is_another)
    retire(s);
  const struct rsan_machines_location *there = s->locations[X]->more->machines;
  return rsan_machines_had(s->threads[T1]->machines, there, 1) ||
         !rsan_stamp_is_empty(&there->tso.w) || there->tso.writer != RSAN_MERGED;
}

static void machines_know_an_object(void **state) {
  assert_true(had(*state, false));
}

static void machines_do_not_know_another(void **state) {
  assert_false(had(*state, true));
}

#ifdef RSAN_VERIFY
enum { KEPT = 0 }; // each location has explicit clocks, too
#else
enum { KEPT = RSAN_SPARE_LOCATIONS };
#endif

static void so_many_are_kept(void **state) {
  struct scenario *s = *state;
  struct rsan_location *many[MANY];
  for (int i = 0; i < MANY; i++)
    many[i] = rsan_location_new(s->engine, s->threads[T1], 8);
  uint64_t blocks = rsan_host_live_blocks();
  for (int i = 0; i < MANY; i++)
    rsan_location_retire(s->threads[T1], many[i]);
  assert_int_equal(s->threads[T1]->spare_count, KEPT);
  if (KEPT)
    assert_int_equal(blocks - rsan_host_live_blocks(), MANY - KEPT);
  rsan_thread_finish(s->threads[T1]);
  assert_int_equal(s->threads[T1]->spare_count, 0);
}

int main(void) {
#define WITH(test, options) {#test, test, scenario_begin, scenario_end, &options}
  static struct rsan_options plain;
#define OF_BOTH(test) WITH(test, plain), WITH(test, with_machines)
  const struct CMUnitTest tests[] = {
      OF_BOTH(the_next_one_has_its_memory),
      OF_BOTH(the_same_object_may_be_stale),
      OF_BOTH(another_object_is_not),
      OF_BOTH(an_object_synchronises),
      OF_BOTH(another_object_does_not),
      OF_BOTH(a_large_one_is_freed),
      WITH(one_of_explicit_clocks_is_freed, scenario_explicit),
      WITH(so_many_are_kept, plain),
      WITH(machines_know_an_object, with_machines),
      WITH(machines_do_not_know_another, with_machines),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
