// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs whose classes can be counted by hand, or are counted by brute force: as many executions,
// and few that are given up as known. (n threads that take turns by a lock have n! orders.)

#include "unit.h"

#include "classes.h"

#define AT(name, its_object, its_value, its_expected)                                              \
  {.op = I_##name, .object = its_object, .value = its_value, .expected = its_expected}

struct explored {
  struct hashes classes;
  uint64_t runs;
};

static bool see(void *context, const struct dpor_program *p, const struct run *run) {
  struct explored *explored = context;
  if (run->ended == RSAN_DPOR_ENDED) {
    hashes_add(&explored->classes, class_of(p, run));
    explored->runs++;
  }
  return true;
}

// With `all`: by brute force as well. Returns the executions, without those given up as known.
static uint64_t executions(const struct dpor_program *p, bool all) {
  struct explored explored = {.runs = 0};
  struct hashes classes = {0}, outcomes = {0};
  const struct way way = {.preemptions = RSAN_DPOR_UNBOUNDED, .jobs = 1};
  struct rsan_dpor d;
  uint64_t interleavings;
  explore(p, &way, see, &explored, &d);
  assert_int_equal(explored.classes.count, explored.runs);
  assert_int_equal(d.unmatched, 0);
  if (all) {
    assert_true(enumerate_classes(p, 1000000, &classes, &outcomes, &interleavings));
    assert_int_equal(classes.count, explored.runs);
  }
  rsan_dpor_clear(&d);
  hashes_free(&explored.classes);
  hashes_free(&classes);
  hashes_free(&outcomes);
  return explored.runs;
}

static void store_buffering(void **state) {
  (void)state;
  const struct dpor_program sb = {
      .threads = 2,
      .all_run = true,
      .length = {2, 2},
      .at = {{AT(STORE, 0, 1, 0), AT(LOAD, 1, 0, 0)}, {AT(STORE, 1, 1, 0), AT(LOAD, 0, 0, 0)}}};
  assert_int_equal(executions(&sb, true), 3);
}

static void write_to_read_causality(void **state) {
  (void)state;
  const struct dpor_program wrc = {.threads = 3,
                                   .all_run = true,
                                   .length = {1, 2, 2},
                                   .at = {{AT(STORE, 0, 1, 0)},
                                          {AT(LOAD, 0, 0, 0), AT(STORE, 1, 1, 0)},
                                          {AT(LOAD, 1, 0, 0), AT(LOAD, 0, 0, 0)}}};
  assert_int_equal(executions(&wrc, true), 7);
}

// Each thread makes the same instructions.
static struct dpor_program same(uint32_t threads, const struct instruction *at, uint8_t length) {
  struct dpor_program p = {.threads = threads, .all_run = true};
  for (uint32_t t = 0; t < threads; t++) {
    p.length[t] = length;
    for (uint32_t i = 0; i < length; i++)
      p.at[t][i] = at[i];
  }
  return p;
}

static void locks_have_as_many_orders_as_their_threads(void **state) {
  (void)state;
  static const struct instruction ticket[] = {AT(ADD, 0, 1, 0), AT(WAIT_OWN, 1, 0, 0),
                                              AT(STORE_NEXT, 1, 0, 0)};
  static const struct instruction mutex[] = {AT(LOCK, 0, 0, 0), AT(LOAD, 0, 0, 0),
                                             AT(STORE_NEXT, 0, 0, 0), AT(UNLOCK, 0, 0, 0)};
  const uint64_t orders[] = {1, 1, 2, 6, 24};
  for (uint32_t n = 2; n <= MOST_THREADS; n++) {
    const struct dpor_program tickets = same(n, ticket, 3), mutexes = same(n, mutex, 4);
    assert_int_equal(executions(&tickets, true), orders[n]);
    assert_int_equal(executions(&mutexes, true), orders[n]);
  }
}

// A test and test-and-set lock: by brute force.
static void a_spin_lock(void **state) {
  (void)state;
  static const struct instruction spin[] = {AT(WAIT, 0, 0, 0), AT(EXCHANGE, 0, 1, 0),
                                            AT(BACK, 2, 0, 0), AT(STORE, 0, 0, 0)};
  const struct dpor_program two = same(2, spin, 4), three = same(3, spin, 4);
  assert_int_equal(executions(&two, true), 6);
  assert_int_equal(executions(&three, true), 162);
}

// The same as the compiler's pass recognises it: the exchange waits for the value, too.
static void a_spin_lock_that_is_recognised(void **state) {
  (void)state;
  static const struct instruction spin[] = {AT(WAIT, 0, 0, 0), AT(BCAS, 0, 1, 0),
                                            AT(STORE, 0, 0, 0)};
  const struct dpor_program two = same(2, spin, 3), three = same(3, spin, 3);
  assert_int_equal(executions(&two, true), 4);
  assert_int_equal(executions(&three, true), 36);
}

static void independent_steps_have_one_order(void **state) {
  (void)state;
  const struct dpor_program apart = {.threads = 4,
                                     .all_run = true,
                                     .length = {2, 2, 2, 2},
                                     .at = {{AT(STORE, 0, 1, 0), AT(LOAD, 0, 0, 0)},
                                            {AT(STORE, 1, 1, 0), AT(LOAD, 1, 0, 0)},
                                            {AT(STORE, 2, 1, 0), AT(LOAD, 2, 0, 0)},
                                            {AT(LOAD, 3, 0, 0), AT(LOAD, 3, 0, 0)}}};
  assert_int_equal(executions(&apart, true), 1);
}

// The third thread's first step is a join of one that has ended before the third was created.
static void a_thread_that_joins_first(void **state) {
  (void)state;
  const struct dpor_program p = {
      .threads = 4,
      .length = {4, 1, 3, 1},
      .at = {{AT(CREATE, 1, 0, 0), AT(CREATE, 2, 0, 0), AT(SIGNAL, 0, 0, 0), AT(EXIT, 0, 0, 0)},
             {AT(SLEEP, 0, 0, 0)},
             {AT(BROADCAST, 0, 0, 0), AT(CREATE, 3, 0, 0), AT(SIGNAL, 0, 0, 0)},
             {AT(JOIN, 1, 0, 0)}}};
  assert_int_equal(executions(&p, true), 89);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(store_buffering),
      cmocka_unit_test(write_to_read_causality),
      cmocka_unit_test(locks_have_as_many_orders_as_their_threads),
      cmocka_unit_test(a_spin_lock),
      cmocka_unit_test(a_spin_lock_that_is_recognised),
      cmocka_unit_test(independent_steps_have_one_order),
      cmocka_unit_test(a_thread_that_joins_first),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
