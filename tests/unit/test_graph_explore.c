// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What tests/graph does not show of the exploration of execution graphs: programs that do not
// follow their graph, that do not end, and explorations that are given up.
#include "graph/explore.h"
#include "limits.h"
#include "unit.h"

#define WRITE(x)                                                                                   \
  (struct rsan_graph_op) {                                                                         \
    .kind = RSAN_GRAPH_WRITE, .order = RSAN_RELEASE, .object = x, .operand = {.low = 1}            \
  }
#define READ(x)                                                                                    \
  (struct rsan_graph_op) {                                                                         \
    .kind = RSAN_GRAPH_READ, .order = RSAN_ACQUIRE, .object = x                                    \
  }
#define WAIT(x)                                                                                    \
  (struct rsan_graph_op) {                                                                         \
    .kind = RSAN_GRAPH_READ, .object = x, .conditional = true, .blocks = true, .condition = {      \
      .operand = {.low = 1},                                                                       \
      .relation = RSAN_EQUAL                                                                       \
    }                                                                                              \
  }

static int check_memory(void **state) {
  (void)state;
  return unit_check_memory();
}

// A run of one operation for each of two threads; `other` is thread 1's in all runs but the first.
static enum rsan_graph_end run(struct rsan_explore *x, struct rsan_graph_op first,
                               struct rsan_graph_op second, struct rsan_graph_op other) {
  const struct rsan_graph_op ops[] = {first, x->runs[RSAN_EXPLORE_COMPLETE] ? other : second};
  uint64_t can_go_on = 3;
  for (uint32_t t; (t = rsan_explore_thread(x, can_go_on)) != RSAN_NO_GRAPH_THREAD;) {
    can_go_on &= ~((uint64_t)1 << t);
    rsan_explore_step(x, t, &ops[t]);
  }
  return rsan_explore_end(x);
}

static uint64_t explore(struct rsan_explore *x, struct rsan_graph_op first,
                        struct rsan_graph_op second, struct rsan_graph_op other) {
  uint64_t runs = 0;
  rsan_explore_init(x, RSAN_GRAPH_CXX20);
  for (; rsan_explore_next(x); runs++)
    run(x, first, second, other);
  rsan_explore_clear(x);
  return runs;
}

static void a_read_has_each_write(void **state) {
  struct rsan_explore x;
  (void)state;
  assert_int_equal(explore(&x, WRITE(1), READ(1), READ(1)), 2);
  assert_int_equal(x.runs[RSAN_EXPLORE_COMPLETE], 2);
  assert_int_equal(explore(&x, READ(1), WRITE(1), WRITE(1)), 2);
  assert_int_equal(x.runs[RSAN_EXPLORE_COMPLETE], 2);
  assert_int_equal(x.revisits, 1);
  assert_int_equal(explore(&x, READ(1), WRITE(2), WRITE(2)), 1);
}

// The first run leaves the graph in which the update reads the initial write. Each member counts.
static void a_run_that_is_another_diverges(void **state) {
  struct rsan_graph_op update = {.kind = RSAN_GRAPH_UPDATE, .object = 1}, others[15];
  struct rsan_explore x;
  (void)state;
  for (size_t i = 0; i < 15; i++)
    others[i] = update;
  others[0].kind = RSAN_GRAPH_READ;
  others[1].function = RSAN_GRAPH_ADD;
  others[2].order = RSAN_ACQUIRE;
  others[3].failure = RSAN_ACQUIRE;
  others[4].size = 4;
  others[5].conditional = true;
  others[6].blocks = true;
  others[7].spurious = true;
  others[8].object = 2;
  others[9].operand.low = 1;
  others[10].operand.high = 1;
  others[11].initial.low = 1;
  others[12].insists = true;
  for (size_t i = 0; i < 13; i++) {
    explore(&x, WRITE(1), update, others[i]);
    assert_int_equal(x.runs[RSAN_EXPLORE_COMPLETE], 1);
    assert_int_equal(x.runs[RSAN_EXPLORE_DIVERGED], 1);
  }
  update.conditional = true; // on 0
  others[13] = others[14] = update;
  others[13].condition.relation = RSAN_NOT_EQUAL;
  others[14].condition.operand.low = 1;
  for (size_t i = 13; i < 15; i++) {
    explore(&x, WRITE(1), update, others[i]);
    assert_int_equal(x.runs[RSAN_EXPLORE_COMPLETE], 1);
    assert_int_equal(x.runs[RSAN_EXPLORE_DIVERGED], 1);
  }
}

// A program that does things in another order than its graph diverges, too.
static void a_run_of_another_thread_diverges(void **state) {
  struct rsan_graph_op read = READ(1), write = WRITE(1);
  struct rsan_explore x;
  (void)state;
  rsan_explore_init(&x, RSAN_GRAPH_RC20);
  assert_true(rsan_explore_next(&x));
  run(&x, write, read, read);
  assert_true(rsan_explore_next(&x));
  assert_int_equal(rsan_explore_step(&x, 1, &write), RSAN_GRAPH_NONE);
  assert_int_equal(rsan_explore_thread(&x, 3), RSAN_NO_GRAPH_THREAD);
  assert_int_equal(rsan_explore_end(&x), RSAN_EXPLORE_DIVERGED);
  rsan_explore_clear(&x);
}

// A program that ends before its graph does diverges as well.
static void a_run_that_ends_early_diverges(void **state) {
  struct rsan_graph_op write = WRITE(1), read = READ(1);
  struct rsan_explore x;
  (void)state;
  rsan_explore_init(&x, RSAN_GRAPH_RC20);
  assert_true(rsan_explore_next(&x));
  assert_int_equal(run(&x, write, read, read), RSAN_EXPLORE_COMPLETE);
  assert_true(rsan_explore_next(&x));
  assert_int_equal(rsan_explore_thread(&x, 3), 0);
  assert_int_equal(rsan_explore_step(&x, 0, &write), 0);
  assert_int_equal(rsan_explore_end(&x), RSAN_EXPLORE_DIVERGED);
  assert_false(rsan_explore_next(&x));
  rsan_explore_clear(&x);
}

static void waits_end_or_are_deadlocks(void **state) {
  struct rsan_explore x;
  (void)state;
  // The wait reads the initial write or the other one.
  assert_int_equal(explore(&x, WRITE(1), WAIT(1), WAIT(1)), 2);
  assert_int_equal(x.runs[RSAN_EXPLORE_COMPLETE], 1);
  assert_int_equal(x.runs[RSAN_EXPLORE_WAITS], 1);
  assert_int_equal(explore(&x, WRITE(2), WAIT(1), WAIT(1)), 1);
  assert_int_equal(x.runs[RSAN_EXPLORE_DEADLOCK], 1);
}

// Two threads exchange the value for 1 until they find 0. The object is 2 at first. The exchange
// that finds 2 changes the value, so it is made; the other one finds 1, changes nothing, and waits.
static void an_update_that_insists_waits_if_it_changes_nothing(void **state) {
  struct rsan_graph_op exchange = {.kind = RSAN_GRAPH_UPDATE,
                                   .object = 1,
                                   .operand = {.low = 1},
                                   .initial = {.low = 2},
                                   .conditional = true,
                                   .condition = {.relation = RSAN_EQUAL},
                                   .blocks = true,
                                   .insists = true};
  struct rsan_explore x;
  (void)state;
  assert_int_equal(explore(&x, exchange, exchange, exchange), 2);
  assert_int_equal(x.runs[RSAN_EXPLORE_DEADLOCK], 2);
  exchange.insists = false;
  assert_int_equal(explore(&x, exchange, exchange, exchange), 1);
}

// A run is made again along the same graph, and leaves no more work.
static void a_run_can_be_made_again(void **state) {
  struct rsan_graph_op write = WRITE(1), read = READ(1);
  struct rsan_explore x;
  (void)state;
  rsan_explore_init(&x, RSAN_GRAPH_CXX20);
  for (int runs = 0; rsan_explore_next(&x); runs++) {
    assert_int_equal(run(&x, write, read, read), RSAN_EXPLORE_COMPLETE);
    uint32_t left = x.count, reads = x.graph.event[1].reads;
    rsan_explore_again(&x);
    assert_int_equal(rsan_explore_step(&x, 0, &write), 0);
    assert_int_equal(rsan_explore_step(&x, 1, &read), 1);
    assert_int_equal(rsan_explore_thread(&x, 0), RSAN_NO_GRAPH_THREAD);
    assert_int_equal(x.count, left);
    assert_int_equal(x.graph.event[1].reads, reads);
    assert_true(runs < 2);
  }
  assert_int_equal(x.runs[RSAN_EXPLORE_COMPLETE], 2);
  rsan_explore_clear(&x);
}

static void an_endless_run_is_cut(void **state) {
  struct rsan_graph_op fence = {.kind = RSAN_GRAPH_FENCE, .order = RSAN_ACQUIRE};
  struct rsan_explore x;
  (void)state;
  rsan_explore_init(&x, RSAN_GRAPH_CXX20);
  assert_true(rsan_explore_next(&x));
  uint32_t steps = 0;
  for (; rsan_explore_thread(&x, 1) == 0; steps++)
    rsan_explore_step(&x, 0, &fence);
  assert_int_equal(steps, RSAN_GRAPH_MOST_EVENTS + 1);
  assert_int_equal(rsan_explore_end(&x), RSAN_EXPLORE_CUT);
  assert_int_equal(x.graph.count, RSAN_GRAPH_MOST_EVENTS);
  assert_false(rsan_explore_next(&x));
  rsan_explore_clear(&x);
}

static void what_is_left_is_given_back(void **state) {
  struct rsan_explore x;
  (void)state;
  rsan_explore_init(&x, RSAN_GRAPH_SC);
  assert_true(rsan_explore_next(&x));
  run(&x, WRITE(1), READ(1), READ(1));
  assert_int_equal(x.count, 1);
  rsan_explore_clear(&x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(a_read_has_each_write, check_memory),
      cmocka_unit_test_teardown(a_run_that_is_another_diverges, check_memory),
      cmocka_unit_test_teardown(a_run_of_another_thread_diverges, check_memory),
      cmocka_unit_test_teardown(a_run_that_ends_early_diverges, check_memory),
      cmocka_unit_test_teardown(waits_end_or_are_deadlocks, check_memory),
      cmocka_unit_test_teardown(an_update_that_insists_waits_if_it_changes_nothing, check_memory),
      cmocka_unit_test_teardown(a_run_can_be_made_again, check_memory),
      cmocka_unit_test_teardown(an_endless_run_is_cut, check_memory),
      cmocka_unit_test_teardown(what_is_left_is_given_back, check_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
