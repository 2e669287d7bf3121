// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan/schedule/pct.h: its bound, measured, and what is added to it.

#include "unit.h"

#include "programs.h"

#define SEEDS 20000

static struct model m;

static int end(void **state) {
  (void)state;
  return unit_check_memory();
}

// The load of X comes between the two stores to it: two orders.
static const struct model_program window = {
    BOTH({{M_STORE, Y, 1}, {M_STORE, Y, 2}, {M_STORE, X, 1}, {M_STORE, X, 2}, {M_STORE, Y, 3}},
         {{M_LOAD, OTHER}, {M_LOAD, OTHER}, {M_LOAD, OTHER}, {M_LOAD, OTHER}, {M_LOAD, X}})};

// Thread 1 sees FLAG, and the last load of thread 2 comes between the two stores to X: three
// orders, and each of the threads is stopped in its midst.
#define OWN {M_STORE, Y, 1}
static const struct model_program deep = {
    BOTH({OWN, OWN, {M_STORE, X, 1}, OWN, {M_LOAD, FLAG}, OWN, {M_STORE, X, 2}, OWN},
         {OWN, {M_LOAD, X}, OWN, {M_STORE, FLAG, 1}, OWN, OWN, {M_LOAD, X}, OWN})};

static uint64_t length_of(const struct model_program *program) {
  struct rsan_policy_options options = {.name = RSAN_POLICY_PCT, .depth = 1};
  model_do(&m, program, &options);
  return m.steps;
}

static bool reads_within(const struct model *model) {
  return model->thread[2].result == 1;
}

static bool both_within(const struct model *model) {
  return model->thread[1].result == 1 && model->thread[2].result == 1;
}

static uint32_t found(const struct model_program *program, uint32_t depth, uint64_t length,
                      bool (*has)(const struct model *)) {
  uint32_t runs = 0;
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    struct rsan_policy_options options = {
        .name = RSAN_POLICY_PCT, .depth = depth, .length = length, .seed = seed};
    model_do(&m, program, &options);
    assert_int_equal(m.outcome, RSAN_CHOSE_NOBODY);
    runs += has(&m);
  }
  return runs;
}

static bool last_is_first(const struct model *model) {
  return model->thread[3].result == 1;
}

// One order: thread 3 of four reads before thread 1 has written.
static void an_error_of_one_order_is_met(void **state) {
  (void)state;
  static const struct model_program one = {{
      {{M_STORE, X, 1}, {M_CREATE, 1}, {M_CREATE, 2}, {M_CREATE, 3}, {M_JOIN, 1}},
      {{M_STORE, X, 2}},
      {{M_STORE, Y, 3}},
      {{M_LOAD, X}},
  }};
  assert_true(found(&one, 1, length_of(&one), last_is_first) >= SEEDS / 4);
}

// With 3 threads and k steps, 1 in 3k.
static void an_error_of_two_orders_is_met(void **state) {
  (void)state;
  uint64_t k = length_of(&window);
  assert_true(found(&window, 2, k, reads_within) >= SEEDS / (3 * k));
}

static void without_changes_it_is_not(void **state) {
  (void)state;
  assert_int_equal(found(&window, 1, length_of(&window), reads_within), 0);
}

// 1 in 3kk.
static void an_error_of_three_orders_is_met(void **state) {
  (void)state;
  uint64_t k = length_of(&deep);
  assert_true(found(&deep, 3, k, both_within) >= SEEDS / (3 * k * k));
  assert_int_equal(found(&deep, 1, k, both_within), 0);
}

static void it_is_met_where_the_length_is_not_known(void **state) {
  (void)state;
  assert_true(found(&window, 2, 0, reads_within) >= SEEDS / (3 * 256));
}

static uint64_t do_all(const struct model_program *program, uint32_t patience, uint64_t length) {
  uint64_t most = 0;
  for (uint64_t seed = 0; seed < 100; seed++) {
    struct rsan_policy_options options = {
        .name = RSAN_POLICY_PCT, .depth = 3, .patience = patience, .length = length, .seed = seed};
    model_do(&m, program, &options);
    most = m.steps > most ? m.steps : most;
  }
  return most;
}

static void a_thread_that_yields_lets_others_run(void **state) {
  (void)state;
  assert_true(do_all(&poll, 0, 20) < 40);
}

// The twin: a loop that does not yield, and that nobody recognised.
static void a_loop_runs_until_its_patience_is_over(void **state) {
  (void)state;
  assert_int_equal(do_all(&loop, 0, 20), MODEL_STEPS);
  assert_true(do_all(&loop, 100, 20) < 400);
  uint32_t hurried = 0;
  for (uint64_t seed = 0; seed < 100; seed++) {
    struct rsan_policy_options options = {
        .name = RSAN_POLICY_PCT, .depth = 1, .patience = 100, .seed = seed};
    model_do(&m, &loop, &options);
    hurried += m.schedule.policy.hurried;
  }
  assert_in_range(hurried, 10, 100); // where the waiting thread is above the other one
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(an_error_of_one_order_is_met, end),
      cmocka_unit_test_teardown(an_error_of_two_orders_is_met, end),
      cmocka_unit_test_teardown(without_changes_it_is_not, end),
      cmocka_unit_test_teardown(an_error_of_three_orders_is_met, end),
      cmocka_unit_test_teardown(it_is_met_where_the_length_is_not_known, end),
      cmocka_unit_test_teardown(a_thread_that_yields_lets_others_run, end),
      cmocka_unit_test_teardown(a_loop_runs_until_its_patience_is_over, end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
