// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan/schedule/livelock.h: runs in which all threads spin, and their twins in which one gets
// further.

#include "unit.h"

#include "programs.h"

#define BOUND 50

static struct model m;
static struct rsan_schedule s;

static int end(void **state) {
  (void)state;
  rsan_schedule_clear(&s);
  return unit_check_memory();
}

// Returns how many runs are livelocks, with 100 seeds of each policy.
static uint32_t livelocks(const struct model_program *program, uint32_t bound) {
  uint32_t runs = 0;
  for (uint32_t p = 0; p < POLICIES; p++)
    for (uint64_t seed = 0; seed < 100; seed++) {
      struct rsan_policy_options options = seeded(&policies[p], seed);
      options.livelock = bound;
      model_do(&m, program, &options);
      runs += m.livelocked;
    }
  return runs;
}

static void no_run_that_ends_is_one(void **state) {
  (void)state;
  for (uint32_t i = 0; i < ENDING; i++)
    assert_int_equal(livelocks(ending[i], 1), 0);
}

static void threads_that_poll_for_ever_are_one(void **state) {
  (void)state;
  static const struct model_program polls = {BOTH({{M_POLL, FLAG, 1}}, {{M_POLL, FLAG, 1}})};
  static const struct model_program one_does_not = {
      BOTH({{M_POLL, FLAG, 1}}, {{M_YIELD}, {M_YIELD}, {M_STORE, FLAG, 1}})};
  assert_int_equal(livelocks(&polls, BOUND), 100 * POLICIES);
  assert_int_equal(livelocks(&one_does_not, BOUND), 0);
}

static void loads_that_repeat_for_ever_are_one(void **state) {
  (void)state;
  static const struct model_program loops = {BOTH({{M_LOOP, FLAG, 1}}, {{M_LOOP, X, 1}})};
  static const struct model_program one_does_not = {
      BOTH({{M_LOOP, FLAG, 1}}, {{M_LOAD, X}, {M_LOAD, X}, {M_UP, FLAG}})};
  assert_int_equal(livelocks(&loops, BOUND), 100 * POLICIES);
  assert_int_equal(livelocks(&one_does_not, BOUND), 0);
}

// The owner of the mutex waits for a thread that waits for the mutex. If that thread takes it
// first, there is no livelock.
static void a_thread_that_is_blocked_gets_no_further(void **state) {
  (void)state;
  static const struct model_program held = {
      BOTH({{M_LOCK, MUTEX}, {M_POLL, FLAG, 1}, {M_UNLOCK, MUTEX}},
           {{M_LOCK, MUTEX}, {M_STORE, FLAG, 1}, {M_UNLOCK, MUTEX}})};
  static const struct model_program not_held = {
      BOTH({{M_LOCK, MUTEX}, {M_UNLOCK, MUTEX}, {M_POLL, FLAG, 1}},
           {{M_LOCK, MUTEX}, {M_STORE, FLAG, 1}, {M_UNLOCK, MUTEX}})};
  assert_in_range(livelocks(&held, BOUND), 1, 100 * POLICIES - 1);
  assert_int_equal(livelocks(&not_held, BOUND), 0);
}

// A call outside may end, and a time be over, although neither does here.
static void who_is_outside_or_has_a_time_limit_may_get_further(void **state) {
  (void)state;
  static const struct model_program calls = {BOTH({{M_POLL, X, 1}}, {{M_OUTSIDE, FLAG, 1}})};
  static const struct model_program waits = {
      BOTH({{M_POLL, X, 1}}, {{M_LOCK, MUTEX}, {M_WAIT, COND, MUTEX}})};
  static const struct model_program timed = {
      BOTH({{M_POLL, X, 1}}, {{M_LOCK, MUTEX}, {M_TIMED_WAIT, COND, MUTEX}})};
  assert_int_equal(livelocks(&calls, BOUND), 0);
  assert_int_equal(livelocks(&timed, BOUND), 0);
  assert_int_equal(livelocks(&waits, BOUND), 100 * POLICIES); // the twin
}

static void a_deadlock_is_none(void **state) {
  (void)state;
  assert_int_equal(livelocks(&opposite, 1), 0);
}

static void without_a_bound_there_is_none(void **state) {
  (void)state;
  static const struct model_program polls = {{{{M_POLL, FLAG, 1}}}};
  struct rsan_policy_options options = {.switch_percent = 100};
  model_do(&m, &polls, &options);
  assert_false(m.livelocked);
  assert_int_equal(m.steps, MODEL_STEPS);
  options.livelock = BOUND;
  model_do(&m, &polls, &options);
  assert_true(m.livelocked);
  assert_int_equal(m.steps, 1 + BOUND); // the start is progress
}

// Each thread has started, and runs.
static void begin(uint32_t threads, uint32_t bound) {
  const struct rsan_policy_options options = {.switch_percent = 100, .livelock = bound};
  rsan_schedule_clear(&s);
  rsan_schedule_init(&s, &options);
  for (uint32_t i = 0; i < threads; i++) {
    rsan_schedule_add(&s, RSAN_NO_THREAD);
    assert_int_equal(rsan_schedule_choose(&s).thread, i);
  }
}

// The only thread makes each of the steps and hands in the next one.
static bool after(const struct rsan_pending *steps, uint32_t count) {
  rsan_schedule_hand_in(&s, 0, &steps[0]);
  for (uint32_t i = 1; i < count; i++) {
    assert_false(rsan_schedule_livelocked(&s));
    rsan_schedule_choose(&s);
    rsan_schedule_hand_in(&s, 0, &steps[i]);
  }
  return rsan_schedule_livelocked(&s);
}

static const struct rsan_pending yield = {.kind = RSAN_KIND_YIELD};
static const struct rsan_pending sleeps = {.kind = RSAN_KIND_SLEEP};
static const struct rsan_pending store = {.kind = RSAN_KIND_STORE, .object = 1, .writes = true};
static const struct rsan_pending load = {.kind = RSAN_KIND_LOAD, .object = 1, .point = 7};

static void each_step_of_progress_begins_anew(void **state) {
  (void)state;
  begin(1, 2);
  assert_true(after((struct rsan_pending[]){yield, sleeps, yield}, 3));
  begin(1, 2);
  assert_false(after((struct rsan_pending[]){yield, store, yield, yield}, 4));
  begin(1, 2);
  assert_true(after((struct rsan_pending[]){yield, store, yield, yield, yield}, 5));
  begin(1, 2);
  assert_false(after((struct rsan_pending[]){yield, yield, store}, 3)); // is about to get further
}

static void other_loads_are_progress(void **state) {
  (void)state;
  struct rsan_pending object = load, point = load;
  object.object++;
  point.point++;
  begin(1, 2);
  assert_true(after((struct rsan_pending[]){load, load, yield, load}, 4));
  begin(1, 2);
  assert_false(after((struct rsan_pending[]){load, object, load, object, load}, 5));
  begin(1, 2);
  assert_false(after((struct rsan_pending[]){load, point, load, point, load}, 5));
}

// A thread that is seldom chosen may get further when its turn comes.
static void all_threads_have_to_spin(void **state) {
  (void)state;
  begin(2, 2);
  uint32_t steps[2] = {0};
  rsan_schedule_hand_in(&s, 0, &yield);
  rsan_schedule_hand_in(&s, 1, &yield);
  while (steps[0] < 2 || steps[1] < 2) {
    assert_false(rsan_schedule_livelocked(&s));
    uint32_t thread = rsan_schedule_choose(&s).thread;
    steps[thread]++;
    assert_false(rsan_schedule_livelocked(&s)); // somebody runs
    rsan_schedule_hand_in(&s, thread, &yield);
  }
  assert_true(rsan_schedule_livelocked(&s));
}

static bool is_true(void *argument) {
  return *(const bool *)argument;
}

static void a_time_that_is_over_again_and_again_is_a_spin(void **state) {
  (void)state;
  bool open = false;
  struct rsan_pending waits = {.kind = RSAN_KIND_SPIN,
                               .object = 1,
                               .until = RSAN_UNTIL_HOLDS,
                               .holds = is_true,
                               .argument = &open,
                               .timed = true};
  begin(1, 2);
  assert_true(after((struct rsan_pending[]){waits, waits, waits}, 3));
  open = true; // by what no operation has shown
  assert_false(rsan_schedule_livelocked(&s));
  open = false;
  struct rsan_pending writes = waits;
  writes.writes = true;
  begin(1, 2);
  assert_false(after((struct rsan_pending[]){writes, writes, writes, writes}, 4));
}

static const struct rsan_pending tries = {
    .kind = RSAN_KIND_LOCK, .object = 1, .until = RSAN_UNTIL_WOKEN, .writes = true, .tries = true};

// Thread 0 waits for the object, thread 1 yields as often as the bound says.
static void try_beside_yields(void) {
  begin(2, 2);
  rsan_schedule_hand_in(&s, 0, &tries);
  for (uint32_t i = 0; i < 2; i++) {
    rsan_schedule_hand_in(&s, 1, &yield);
    assert_int_equal(rsan_schedule_choose(&s).thread, 1);
  }
  rsan_schedule_hand_in(&s, 1, &yield);
}

// Thread 1 goes on yielding until thread 0 is let try; then that hands in what it does next.
static void then_try(const struct rsan_pending *next) {
  uint32_t turns = 0;
  for (; rsan_schedule_choose(&s).thread == 1 && turns < 100; turns++)
    rsan_schedule_hand_in(&s, 1, &yield);
  assert_in_range(turns, 0, 99);
  rsan_schedule_hand_in(&s, 0, next);
}

static void who_would_try_again_is_let_try_first(void **state) {
  (void)state;
  try_beside_yields();
  assert_false(rsan_schedule_livelocked(&s));
  then_try(&tries); // in vain
  assert_true(rsan_schedule_livelocked(&s));
  // The twin: the object was free.
  try_beside_yields();
  then_try(&store);
  assert_false(rsan_schedule_livelocked(&s));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(no_run_that_ends_is_one, end),
      cmocka_unit_test_teardown(threads_that_poll_for_ever_are_one, end),
      cmocka_unit_test_teardown(loads_that_repeat_for_ever_are_one, end),
      cmocka_unit_test_teardown(a_thread_that_is_blocked_gets_no_further, end),
      cmocka_unit_test_teardown(who_is_outside_or_has_a_time_limit_may_get_further, end),
      cmocka_unit_test_teardown(a_deadlock_is_none, end),
      cmocka_unit_test_teardown(without_a_bound_there_is_none, end),
      cmocka_unit_test_teardown(each_step_of_progress_begins_anew, end),
      cmocka_unit_test_teardown(other_loads_are_progress, end),
      cmocka_unit_test_teardown(all_threads_have_to_spin, end),
      cmocka_unit_test_teardown(a_time_that_is_over_again_and_again_is_a_spin, end),
      cmocka_unit_test_teardown(who_would_try_again_is_let_try_first, end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
