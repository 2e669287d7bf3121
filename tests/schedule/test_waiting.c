// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that wait in vain: yields, patience, time limits, and objects that are freed unseen. The
// schedule is called directly, a step at a time.

#include "unit.h"

#include "schedule/schedule.h"

static struct rsan_schedule s;

static int end(void **state) {
  (void)state;
  rsan_schedule_clear(&s);
  return unit_check_memory();
}

static const struct rsan_pending store = {.kind = RSAN_KIND_STORE, .object = 1, .writes = true};
static const struct rsan_pending elsewhere = {.kind = RSAN_KIND_STORE, .object = 2, .writes = true};
static const struct rsan_pending yield = {.kind = RSAN_KIND_YIELD};
static const struct rsan_pending sleeps = {
    .kind = RSAN_KIND_COND_WAIT, .object = 1, .until = RSAN_UNTIL_WOKEN};
static const struct rsan_pending tries = {
    .kind = RSAN_KIND_LOCK, .object = 1, .until = RSAN_UNTIL_WOKEN, .tries = true};

static void begin(enum rsan_policy_name name, uint64_t seed, uint32_t threads) {
  const struct rsan_policy_options options = {
      .name = name, .seed = seed, .switch_percent = 1, .depth = 3};
  rsan_schedule_clear(&s);
  rsan_schedule_init(&s, &options);
  while (threads--)
    rsan_schedule_add(&s, RSAN_NO_THREAD);
}

static struct rsan_choice next(uint32_t thread, const struct rsan_pending *pending) {
  rsan_schedule_hand_in(&s, thread, pending);
  return rsan_schedule_choose(&s);
}

// All have started, and the last one that was chosen runs.
static uint32_t start_all(const struct rsan_pending *pending) {
  uint32_t running = rsan_schedule_choose(&s).thread;
  for (uint32_t started = 1; started<s.threads.count; started += s.steps> started)
    running = next(running, pending).thread;
  return running;
}

static void who_tries_is_let_try_once_before_all_is_lost(void **state) {
  (void)state;
  begin(RSAN_POLICY_RANDOM, 1, 1);
  rsan_schedule_choose(&s);
  assert_int_equal(next(0, &tries).outcome, RSAN_CHOSE_RUN);
  assert_int_equal(next(0, &tries).outcome, RSAN_CHOSE_DEADLOCK);
  // The twin: who sleeps is not.
  begin(RSAN_POLICY_RANDOM, 1, 1);
  rsan_schedule_choose(&s);
  assert_int_equal(next(0, &sleeps).outcome, RSAN_CHOSE_DEADLOCK);
}

static void who_has_got_on_may_try_again(void **state) {
  (void)state;
  begin(RSAN_POLICY_RANDOM, 1, 1);
  rsan_schedule_choose(&s);
  for (int i = 0; i < 10; i++) {
    assert_int_equal(next(0, &tries).outcome, RSAN_CHOSE_RUN);
    assert_int_equal(next(0, &store).outcome, RSAN_CHOSE_RUN);
  }
}

static void who_is_outside_may_free_the_object(void **state) {
  (void)state;
  begin(RSAN_POLICY_RANDOM, 1, 2);
  uint32_t first = rsan_schedule_choose(&s).thread;
  rsan_schedule_leave(&s, first);
  uint32_t second = rsan_schedule_choose(&s).thread;
  assert_int_equal(next(second, &tries).outcome, RSAN_CHOSE_RUN);
  assert_int_equal(next(second, &tries).outcome, RSAN_CHOSE_OUTSIDE);
  assert_int_equal(s.threads.outside, 1);
  assert_int_equal(next(first, &store).thread, first);
  assert_int_equal(s.threads.outside, 0);
  assert_int_equal(rsan_schedule_wake_all(&s, 1), 1);
}

static void a_time_limit_counts_while_its_thread_waits(void **state) {
  (void)state;
  struct rsan_pending timed = sleeps;
  timed.timed = true;
  begin(RSAN_POLICY_RANDOM, 1, 1);
  rsan_schedule_choose(&s);
  assert_int_equal(next(0, &timed).outcome, RSAN_CHOSE_EXPIRE);
  assert_int_equal(s.threads.timed, 0);
  assert_int_equal(next(0, &sleeps).outcome, RSAN_CHOSE_DEADLOCK);
}

static bool is_woken;

static bool may_be_woken(void) {
  return is_woken;
}

// What is no step may let a thread proceed: then it is no deadlock.
static void who_may_be_woken_by_what_is_no_step_waits(void **state) {
  (void)state;
  for (int i = 0; i < 2; i++) {
    begin(RSAN_POLICY_RANDOM, 1, 1);
    s.may_be_woken = may_be_woken;
    is_woken = i;
    rsan_schedule_choose(&s);
    assert_int_equal(next(0, &sleeps).outcome, i ? RSAN_CHOSE_OUTSIDE : RSAN_CHOSE_DEADLOCK);
  }
  assert_int_equal(rsan_schedule_wake_all(&s, 1), 1);
  assert_int_equal(rsan_schedule_choose(&s).outcome, RSAN_CHOSE_RUN);
}

static bool posts_and_ends(void) {
  is_woken = true;
  return false;
}

static bool is_posted(void *unused) {
  (void)unused;
  return is_woken;
}

// The twin: who ends without having posted leaves a deadlock.
static void who_is_woken_as_its_waker_ends_waits_no_more(void **state) {
  (void)state;
  const struct rsan_pending waits = {
      .kind = RSAN_KIND_SEM_WAIT, .object = 1, .until = RSAN_UNTIL_HOLDS, .holds = is_posted};
  for (int posts = 0; posts < 2; posts++) {
    begin(RSAN_POLICY_RANDOM, 1, 1);
    is_woken = false;
    s.may_be_woken = posts ? posts_and_ends : may_be_woken;
    rsan_schedule_choose(&s);
    assert_int_equal(next(0, &waits).outcome, posts ? RSAN_CHOSE_OUTSIDE : RSAN_CHOSE_DEADLOCK);
  }
  assert_int_equal(rsan_schedule_choose(&s).outcome, RSAN_CHOSE_RUN);
}

static bool says_no(void *unused) {
  (void)unused;
  return false;
}

// It stays so when its object changes. The twin: who is not cancelled waits.
static void who_is_cancelled_proceeds_whatever_it_waits_for(void **state) {
  (void)state;
  const struct rsan_pending waits = {
      .kind = RSAN_KIND_SEM_WAIT, .object = 1, .until = RSAN_UNTIL_HOLDS, .holds = says_no};
  const struct rsan_pending *const all[] = {&waits, &sleeps};
  for (int i = 0; i < 2; i++) {
    begin(RSAN_POLICY_RANDOM, 1, 1);
    rsan_schedule_choose(&s);
    rsan_schedule_hand_in(&s, 0, all[i]);
    assert_int_equal(rsan_schedule_choose(&s).outcome, RSAN_CHOSE_DEADLOCK);
    rsan_schedule_cancel(&s, 0);
    rsan_threads_touch(&s.threads, 1);
    assert_int_equal(rsan_schedule_choose(&s).outcome, RSAN_CHOSE_RUN);
    assert_int_equal(next(0, all[i]).outcome, RSAN_CHOSE_DEADLOCK);
  }
}

// A step that writes asks the conditions anew; the one whose time is over goes on all the same.
static void who_is_out_of_time_is_not_asked_again(void **state) {
  (void)state;
  const struct rsan_pending waits = {.kind = RSAN_KIND_SPIN,
                                     .object = 1,
                                     .until = RSAN_UNTIL_HOLDS,
                                     .holds = says_no,
                                     .timed = true};
  begin(RSAN_POLICY_RANDOM, 1, 1);
  rsan_schedule_choose(&s);
  rsan_schedule_hand_in(&s, 0, &waits);
  rsan_threads_touch(&s.threads, 1);
  assert_false(rsan_threads_is_ready(&s.threads, 0)); // the twin
  rsan_threads_expire(&s.threads, 0);
  rsan_threads_touch(&s.threads, 1);
  assert_true(rsan_threads_is_ready(&s.threads, 0));
}

static bool is_now;
static bool says_now(void *unused) {
  (void)unused;
  return is_now;
}

// The twins write bytes beside it, or another name.
static void a_write_of_some_bytes_asks_who_waits_for_the_word(void **state) {
  (void)state;
  const struct rsan_pending waits = {.kind = RSAN_KIND_SPIN,
                                     .object = 16,
                                     .bytes = 4,
                                     .until = RSAN_UNTIL_HOLDS,
                                     .holds = says_now};
  const struct {
    uint64_t object;
    uint32_t bytes;
    bool asks;
  } writes[] = {{18, 2, true}, {16, 1, true}, {16, 8, true}, {20, 2, false}, {18, 0, false}};
  for (size_t i = 0; i < sizeof writes / sizeof *writes; i++) {
    begin(RSAN_POLICY_RANDOM, 1, 1);
    rsan_schedule_choose(&s);
    is_now = false;
    rsan_schedule_hand_in(&s, 0, &waits);
    is_now = true;
    rsan_threads_touch_bytes(&s.threads, writes[i].object, writes[i].bytes);
    assert_int_equal(rsan_threads_is_ready(&s.threads, 0), writes[i].asks);
  }
}

// How many of 10,000 steps of two threads stay with the thread that made the one before.
static uint32_t stays(const struct rsan_pending *pending) {
  begin(RSAN_POLICY_RANDOM, 5, 2);
  uint32_t running = start_all(pending), count = 0;
  for (int i = 0; i < 10000; i++) {
    uint32_t last = running;
    running = next(last, pending).thread;
    count += running == last;
  }
  return count;
}

static void a_yield_makes_random_choose_anew(void **state) {
  (void)state;
  assert_in_range(stays(&yield), 4700, 5300);
  assert_in_range(stays(&store), 9850, 10000); // switch_percent is 1
}

static int64_t priority(uint32_t thread) {
  return s.threads.thread[thread].priority;
}

static void pos_draws_anew_what_depends_on_the_step(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 20; seed++) {
    begin(RSAN_POLICY_POS, seed, 3);
    for (uint32_t i = 0; i < 3; i++)
      rsan_schedule_choose(&s);
    rsan_schedule_hand_in(&s, 0, &store);
    rsan_schedule_hand_in(&s, 1, &store);
    rsan_schedule_hand_in(&s, 2, &elsewhere);
    int64_t before[3] = {priority(0), priority(1), priority(2)};
    uint32_t done = rsan_schedule_choose(&s).thread;
    for (uint32_t i = 0; i < 3; i++)
      if (i != done)
        assert_int_equal(priority(i) != before[i], done < 2 && i < 2);
  }
}

static void pos_draws_all_anew_after_a_yield(void **state) {
  (void)state;
  uint32_t yields = 0;
  for (uint64_t seed = 1; seed <= 40; seed++) {
    begin(RSAN_POLICY_POS, seed, 2);
    rsan_schedule_choose(&s);
    rsan_schedule_choose(&s);
    rsan_schedule_hand_in(&s, 0, &yield);
    rsan_schedule_hand_in(&s, 1, &store);
    int64_t before = priority(1);
    if (rsan_schedule_choose(&s).thread != 0)
      continue;
    yields++;
    assert_true(priority(1) != before);
  }
  assert_in_range(yields, 5, 35);
}

static void pct_puts_who_yields_below_the_change_points(void **state) {
  (void)state;
  begin(RSAN_POLICY_PCT, 7, 2);
  uint32_t running = start_all(&store);
  assert_true(s.policy.pct.base + 2 <= 0); // two change points, below all threads at their start
  rsan_schedule_hand_in(&s, running, &yield);
  assert_true(priority(running) < s.policy.pct.base);
  assert_int_not_equal(rsan_schedule_choose(&s).thread, running);
}

// Each window has its own changes, below those of the windows before.
static void pct_windows_double_where_the_length_is_not_known(void **state) {
  (void)state;
  begin(RSAN_POLICY_PCT, 7, 2);
  uint32_t running = start_all(&store);
  int64_t base = s.policy.pct.base;
  while (s.steps < 600)
    running = next(running, &store).thread;
  assert_int_equal(s.policy.pct.window, 1024);
  assert_true(s.policy.pct.base < base);
  for (uint32_t i = 0; i < 2; i++)
    assert_in_range(s.policy.pct.change[i], 513, 1024);
}

// Runs two threads that only store, with pct; each has the patience.
static uint64_t hurried(uint32_t patience) {
  begin(RSAN_POLICY_PCT, 3, 2);
  s.policy.options.patience = patience;
  s.policy.options.depth = 1;
  uint32_t running = start_all(&store);
  for (int i = 0; i < 1000; i++)
    running = next(running, &store).thread;
  return s.policy.hurried;
}

static void who_runs_alone_for_long_gives_way(void **state) {
  (void)state;
  assert_in_range(hurried(100), 8, 10);
  assert_int_equal(hurried(0), 0);
}

// Runs three threads. A thread that has run is outside for the next step, so the two of the highest
// priorities take turns. How many threads have made steps?
static uint32_t who_get_on(uint32_t patience) {
  begin(RSAN_POLICY_PCT, 3, 3);
  s.policy.options.patience = patience;
  s.policy.options.depth = 1;
  uint32_t running = start_all(&store), outside = RSAN_NO_THREAD, seen = 0;
  for (int i = 0; i < 1000; i++) {
    rsan_schedule_leave(&s, running);
    if (outside != RSAN_NO_THREAD)
      rsan_schedule_hand_in(&s, outside, &store);
    outside = running;
    running = rsan_schedule_choose(&s).thread;
    seen |= 1u << running;
  }
  return (uint32_t)__builtin_popcount(seen);
}

static void who_takes_turns_for_long_gives_way(void **state) {
  (void)state;
  assert_int_equal(who_get_on(100), 3);
  assert_int_equal(who_get_on(0), 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(who_tries_is_let_try_once_before_all_is_lost, end),
      cmocka_unit_test_teardown(who_has_got_on_may_try_again, end),
      cmocka_unit_test_teardown(who_is_outside_may_free_the_object, end),
      cmocka_unit_test_teardown(a_time_limit_counts_while_its_thread_waits, end),
      cmocka_unit_test_teardown(who_may_be_woken_by_what_is_no_step_waits, end),
      cmocka_unit_test_teardown(who_is_woken_as_its_waker_ends_waits_no_more, end),
      cmocka_unit_test_teardown(who_is_cancelled_proceeds_whatever_it_waits_for, end),
      cmocka_unit_test_teardown(who_is_out_of_time_is_not_asked_again, end),
      cmocka_unit_test_teardown(a_write_of_some_bytes_asks_who_waits_for_the_word, end),
      cmocka_unit_test_teardown(a_yield_makes_random_choose_anew, end),
      cmocka_unit_test_teardown(pos_draws_anew_what_depends_on_the_step, end),
      cmocka_unit_test_teardown(pos_draws_all_anew_after_a_yield, end),
      cmocka_unit_test_teardown(pct_puts_who_yields_below_the_change_points, end),
      cmocka_unit_test_teardown(pct_windows_double_where_the_length_is_not_known, end),
      cmocka_unit_test_teardown(who_runs_alone_for_long_gives_way, end),
      cmocka_unit_test_teardown(who_takes_turns_for_long_gives_way, end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
