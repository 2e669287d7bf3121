// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan/schedule/schedule.h: what is said of a deadlock. For each thread that lives its pending
// operation, in threads.thread[], says what it waits for.

#include "unit.h"

#include "programs.h"

static struct model m;

static int end(void **state) {
  (void)state;
  return unit_check_memory();
}

// What a thread waits for; with JOIN `object` is the number of a thread.
struct waiting {
  enum rsan_kind kind;
  enum rsan_until until;
  uint32_t object;
};

static void check_waiting(uint32_t number, const struct waiting *waiting) {
  const struct rsan_scheduled *thread = &m.schedule.threads.thread[m.thread[number].id];
  bool joins = waiting->kind == RSAN_KIND_JOIN;
  assert_int_equal(thread->state, RSAN_THREAD_PENDING);
  assert_false(rsan_threads_is_ready(&m.schedule.threads, m.thread[number].id));
  assert_int_equal(thread->pending.kind, waiting->kind);
  assert_int_equal(thread->pending.until, waiting->until);
  assert_int_equal(thread->pending.object,
                   joins ? m.thread[waiting->object].id : 1000 + waiting->object);
  assert_false(thread->pending.timed);
}

// Returns how many runs end in a deadlock, with 100 seeds of each policy. In each the main thread
// and two others wait for `waiting`.
static uint32_t deadlocks(const struct model_program *program, const struct waiting waiting[3]) {
  uint32_t runs = 0;
  for (uint32_t p = 0; p < POLICIES; p++)
    for (uint64_t seed = 0; seed < 100; seed++) {
      struct rsan_policy_options options = seeded(&policies[p], seed);
      model_init(&m, program, &options);
      model_run(&m);
      runs += m.outcome == RSAN_CHOSE_DEADLOCK;
      for (uint32_t i = 0; m.outcome == RSAN_CHOSE_DEADLOCK && i < 3; i++)
        if (!m.thread[i].ended)
          check_waiting(i, &waiting[i]);
      if (m.outcome == RSAN_CHOSE_DEADLOCK)
        assert_int_equal(m.schedule.threads.outside, 0);
      model_clear(&m);
    }
  return runs;
}

#define ALL (100 * POLICIES)

#define FIRST                                                                                      \
  {                                                                                                \
    {M_LOCK, MUTEX}, {M_LOCK, OTHER}, {M_UNLOCK, OTHER}, {                                         \
      M_UNLOCK, MUTEX                                                                              \
    }                                                                                              \
  }
#define SECOND                                                                                     \
  {                                                                                                \
    {M_LOCK, OTHER}, {M_LOCK, MUTEX}, {M_UNLOCK, MUTEX}, {                                         \
      M_UNLOCK, OTHER                                                                              \
    }                                                                                              \
  }

static void of_two_locks_in_opposite_order(void **state) {
  (void)state;
  static const struct waiting waiting[3] = {{RSAN_KIND_JOIN, RSAN_UNTIL_END, 1},
                                            {RSAN_KIND_LOCK, RSAN_UNTIL_HOLDS, OTHER},
                                            {RSAN_KIND_LOCK, RSAN_UNTIL_HOLDS, MUTEX}};
  assert_in_range(deadlocks(&opposite, waiting), 1, ALL - 1);
  assert_int_equal(deadlocks(&same_order, waiting), 0);
}

// The broadcast comes before the wait; nobody has looked.
static void of_a_wake_that_is_lost(void **state) {
  (void)state;
  static const struct waiting waiting[3] = {{RSAN_KIND_JOIN, RSAN_UNTIL_END, 1},
                                            {RSAN_KIND_COND_WAIT, RSAN_UNTIL_WOKEN, COND}};
  static const struct model_program not_lost = {
      BOTH({{M_LOCK, MUTEX}, {M_UP, SEM}, {M_WAIT, COND, MUTEX}, {M_UNLOCK, MUTEX}},
           {{M_DOWN, SEM}, {M_LOCK, MUTEX}, {M_SIGNAL, COND}, {M_UNLOCK, MUTEX}})};
  assert_in_range(deadlocks(&lost_signal, waiting), 1, ALL - 1);
  assert_int_equal(outcomes(&m, &not_lost, RSAN_CHOSE_NOBODY), ALL);
}

static void of_threads_that_join_each_other(void **state) {
  (void)state;
  // They begin when both have been created.
#define GATE {M_CREATE, 1}, {M_CREATE, 2}, {M_UP, SEM}, {M_UP, SEM}, {M_JOIN, 1}
  static const struct model_program cycle = {
      {{GATE}, {{M_DOWN, SEM}, {M_JOIN, 2}}, {{M_DOWN, SEM}, {M_JOIN, 1}}}};
  static const struct model_program chain = {
      {{GATE}, {{M_DOWN, SEM}, {M_JOIN, 2}}, {{M_DOWN, SEM}}}};
  static const struct waiting waiting[3] = {{RSAN_KIND_JOIN, RSAN_UNTIL_END, 1},
                                            {RSAN_KIND_JOIN, RSAN_UNTIL_END, 2},
                                            {RSAN_KIND_JOIN, RSAN_UNTIL_END, 1}};
  assert_int_equal(deadlocks(&cycle, waiting), ALL);
  assert_int_equal(outcomes(&m, &chain, RSAN_CHOSE_NOBODY), ALL);
}

static void of_a_semaphore_that_nobody_posts(void **state) {
  (void)state;
  static const struct model_program none = {BOTH({{M_DOWN, SEM}}, {{M_STORE, X, 7}})};
  static const struct model_program one = {BOTH({{M_DOWN, SEM}}, {{M_UP, SEM}})};
  static const struct waiting waiting[3] = {{RSAN_KIND_JOIN, RSAN_UNTIL_END, 1},
                                            {RSAN_KIND_SEM_WAIT, RSAN_UNTIL_HOLDS, SEM}};
  assert_int_equal(deadlocks(&none, waiting), ALL);
  assert_int_equal(outcomes(&m, &one, RSAN_CHOSE_NOBODY), ALL);
}

// The same with a third thread, whose call may end: that is said instead, and by whom.
static void a_thread_outside_may_end_each(void **state) {
  (void)state;
#define BESIDE(third, ...)                                                                         \
  {                                                                                                \
    {                                                                                              \
      {{M_CREATE, 1}, {M_CREATE, 2}, {M_CREATE, 3}, {M_UP, Y}, {M_UP, Y}, {M_JOIN, 1}},            \
          __VA_ARGS__, third                                                                       \
    }                                                                                              \
  }
#define CALL {{M_OUTSIDE, FLAG, 1}}
  static const struct model_program programs[] = {
      BESIDE(CALL, FIRST, SECOND),
      BESIDE(CALL, {{M_LOCK, MUTEX}, {M_WAIT, COND, MUTEX}},
             {{M_LOCK, MUTEX}, {M_SIGNAL, COND}, {M_UNLOCK, MUTEX}}),
      BESIDE(CALL, {{M_DOWN, Y}, {M_JOIN, 2}}, {{M_DOWN, Y}, {M_JOIN, 1}}),
      BESIDE(CALL, {{M_DOWN, SEM}}, {{M_STORE, X, 7}}),
  };
  for (uint32_t i = 0; i < sizeof programs / sizeof *programs; i++) {
    assert_int_equal(outcomes(&m, &programs[i], RSAN_CHOSE_DEADLOCK), 0);
    assert_in_range(outcomes(&m, &programs[i], RSAN_CHOSE_OUTSIDE), 1, ALL);
    struct rsan_policy_options options = {.switch_percent = 100};
    do {
      model_clear(&m);
      options.seed++;
      model_init(&m, &programs[i], &options);
      model_run(&m);
    } while (m.thread[1].ended || m.outcome != RSAN_CHOSE_OUTSIDE);
    assert_int_equal(m.schedule.threads.outside, 1);
    assert_int_equal(m.schedule.threads.thread[m.thread[3].id].state, RSAN_THREAD_OUTSIDE);
    model_clear(&m);
  }
}

// The third thread waits with a time limit: that ends first, and the thread posts the semaphore.
static void a_time_limit_may_end_it(void **state) {
  (void)state;
#define LIMITED(...) {{M_LOCK, FLAG}, {M_TIMED_WAIT, BAR, FLAG}, {M_UNLOCK, FLAG}, __VA_ARGS__}
  static const struct model_program posts =
      BESIDE(LIMITED({M_UP, SEM}), {{M_DOWN, SEM}}, {{M_STORE, X, 7}});
  static const struct model_program does_not =
      BESIDE(LIMITED({M_STORE, X, 8}), {{M_DOWN, SEM}}, {{M_STORE, X, 7}});
  static const struct waiting waiting[3] = {{RSAN_KIND_JOIN, RSAN_UNTIL_END, 1},
                                            {RSAN_KIND_SEM_WAIT, RSAN_UNTIL_HOLDS, SEM}};
  assert_int_equal(outcomes(&m, &posts, RSAN_CHOSE_NOBODY), ALL);
  assert_int_equal(m.expired, 1);
  assert_int_equal(deadlocks(&does_not, waiting), ALL);
  assert_int_equal(m.expired, 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(of_two_locks_in_opposite_order, end),
      cmocka_unit_test_teardown(of_a_wake_that_is_lost, end),
      cmocka_unit_test_teardown(of_threads_that_join_each_other, end),
      cmocka_unit_test_teardown(of_a_semaphore_that_nobody_posts, end),
      cmocka_unit_test_teardown(a_thread_outside_may_end_each, end),
      cmocka_unit_test_teardown(a_time_limit_may_end_it, end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
