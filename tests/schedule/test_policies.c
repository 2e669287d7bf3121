// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan/schedule/policy.h: who is chosen. Each policy, on each program.

#include "unit.h"

#include "programs.h"

static struct model m;

static int end(void **state) {
  (void)state;
  return unit_check_memory();
}

static void do_seed(const struct model_program *program, const struct rsan_policy_options *policy,
                    uint64_t seed) {
  struct rsan_policy_options options = seeded(policy, seed);
  model_do(&m, program, &options);
}

static void only_what_can_proceed_is_chosen(void **state) {
  (void)state;
  for (uint32_t i = 0; i < ENDING; i++)
    for (uint32_t p = 0; p < POLICIES; p++)
      for (uint64_t seed = 0; seed < 200; seed++) {
        do_seed(ending[i], &policies[p], seed);
        assert_int_equal(m.wrong, 0);
        assert_int_equal(m.outcome, RSAN_CHOSE_NOBODY);
      }
}

// The twin: the check notices.
static void a_condition_that_lies_lets_others_be_chosen(void **state) {
  (void)state;
  uint32_t wrong = 0;
  for (uint64_t seed = 0; seed < 20; seed++) {
    struct rsan_policy_options options = seeded(&policies[0], seed);
    model_init(&m, &locks, &options);
    m.lies = true;
    model_run(&m);
    model_clear(&m);
    wrong += m.wrong;
  }
  assert_true(wrong > 0);
}

static void the_same_seed_gives_the_same_choices(void **state) {
  (void)state;
  for (uint32_t i = 0; i < ENDING; i++)
    for (uint32_t p = 0; p < POLICIES; p++)
      for (uint64_t seed = 0; seed < 50; seed++) {
        do_seed(ending[i], &policies[p], seed);
        uint64_t choices = m.choices, steps = m.steps;
        do_seed(ending[i], &policies[p], seed);
        assert_int_equal(m.choices, choices);
        assert_int_equal(m.steps, steps);
      }
}

static void another_seed_gives_others(void **state) {
  (void)state;
  for (uint32_t p = 0; p < POLICIES; p++) {
    uint32_t different = 0;
    do_seed(&locks, &policies[p], 0);
    uint64_t choices = m.choices;
    for (uint64_t seed = 1; seed < 50; seed++) {
      do_seed(&locks, &policies[p], seed);
      different += m.choices != choices;
    }
    assert_true(different > 10);
  }
}

// The first thread runs, and is the only one. It makes two others, and after sixty steps of the
// three it is the only one again. What was chosen, as a number.
static uint64_t part_of_run(struct rsan_schedule *s) {
  static const struct rsan_pending store = {.kind = RSAN_KIND_STORE, .object = 1, .writes = true};
  static const struct rsan_pending yield = {.kind = RSAN_KIND_YIELD};
  uint32_t ended[2], count = 0, thread;
  uint64_t choices = 0;
  rsan_schedule_add(s, 0);
  rsan_schedule_add(s, 0);
  rsan_schedule_hand_in(s, 0, &store);
  for (uint32_t i = 0; i < 60; i++) {
    thread = rsan_schedule_choose(s).thread;
    choices = choices * 31 + thread;
    rsan_schedule_hand_in(s, thread, &store);
  }
  while ((thread = rsan_schedule_choose(s).thread) != 0 || count < 2) {
    if (thread == 0) {
      rsan_schedule_hand_in(s, 0, &yield);
    } else {
      rsan_schedule_end(s, thread);
      ended[count++] = thread;
    }
  }
  for (uint32_t i = 0; i < 2; i++) // the lower number first, so that the higher one is used first
    rsan_threads_release(&s->threads, ended[ended[0] > ended[1] ? 1 - i : i]);
  return choices;
}

// The choices of a part of a run, behind another part if `later`.
static uint64_t choices_of_part(const struct rsan_policy_options *options, bool later,
                                bool restarts) {
  struct rsan_policy_options other = *options;
  struct rsan_schedule s;
  other.seed += 1000;
  rsan_schedule_init(&s, &other);
  rsan_schedule_add(&s, RSAN_NO_THREAD);
  rsan_schedule_choose(&s);
  if (later)
    part_of_run(&s);
  if (restarts)
    rsan_schedule_restart(&s, options);
  uint64_t choices = part_of_run(&s);
  rsan_schedule_clear(&s);
  return choices;
}

static void a_restart_forgets_what_was_chosen_before(void **state) {
  (void)state;
  for (uint32_t p = 0; p < POLICIES; p++) {
    uint32_t different = 0;
    for (uint64_t seed = 0; seed < 50; seed++) {
      const struct rsan_policy_options options = seeded(&policies[p], seed);
      assert_int_equal(choices_of_part(&options, true, true),
                       choices_of_part(&options, false, true));
      different +=
          choices_of_part(&options, true, false) != choices_of_part(&options, false, false);
    }
    assert_true(different > 10); // the twin
  }
}

// Results of store buffering that SC allows: (0, 1), (1, 0), (1, 1); as bits by 2a + b.
static uint32_t results_of_sb(const struct rsan_policy_options *policy) {
  uint32_t seen = 0;
  for (uint64_t seed = 0; seed < 100; seed++) {
    do_seed(&sb, policy, seed);
    seen |= 1u << (2 * m.thread[1].result + m.thread[2].result);
  }
  return seen;
}

static void each_policy_sees_all_sc_results_of_sb(void **state) {
  (void)state;
  for (uint32_t p = 0; p < POLICIES; p++)
    if (policies[p].depth != 1)
      assert_int_equal(results_of_sb(&policies[p]), 1 << 1 | 1 << 2 | 1 << 3);
}

// The twin: without changes one thread runs to its end, and then the other.
static void pct_without_changes_does_not(void **state) {
  (void)state;
  const struct rsan_policy_options pct = {.name = RSAN_POLICY_PCT, .depth = 1};
  assert_int_equal(results_of_sb(&pct), 1 << 1 | 1 << 2);
}

// How many of 9,999 steps of three threads that do nothing but store go on with the same thread.
static uint32_t stays(uint32_t switch_percent) {
  static const struct rsan_pending store = {.kind = RSAN_KIND_STORE, .object = 1, .writes = true};
  struct rsan_schedule s;
  struct rsan_policy_options options = {.switch_percent = switch_percent, .seed = 1};
  rsan_schedule_init(&s, &options);
  for (uint32_t i = 0; i < 3; i++)
    rsan_schedule_add(&s, RSAN_NO_THREAD);
  uint32_t count = 0, last = rsan_schedule_choose(&s).thread;
  for (uint32_t i = 0; i < 9999; i++) {
    rsan_schedule_hand_in(&s, last, &store);
    uint32_t thread = rsan_schedule_choose(&s).thread;
    count += thread == last;
    last = thread;
  }
  rsan_schedule_clear(&s);
  return count;
}

static void random_chooses_anew_as_often_as_it_is_told(void **state) {
  (void)state;
  assert_in_range(stays(100), 3233, 3433); // a third
  assert_in_range(stays(30), 7900, 8100);  // 70 per cent and a third of 30
  assert_in_range(stays(3), 9730, 9870);
  assert_int_equal(stays(0), stays(1)); // the nearest that there is
  assert_int_equal(stays(200), stays(100));
}

static void mix_uses_all_policies(void **state) {
  (void)state;
  uint32_t count[4] = {0}, percents = 0;
  for (uint64_t seed = 0; seed < 60; seed++) {
    struct rsan_policy_options mix = {.name = RSAN_POLICY_MIX, .seed = seed};
    struct rsan_policy policy;
    rsan_policy_init(&policy, &mix);
    count[policy.options.name]++;
    if (policy.options.name == RSAN_POLICY_PCT)
      assert_int_equal(policy.options.depth, 3);
    if (policy.options.name == RSAN_POLICY_RANDOM)
      percents += policy.options.switch_percent;
  }
  assert_int_equal(count[RSAN_POLICY_RANDOM], 40);
  assert_int_equal(count[RSAN_POLICY_PCT], 10);
  assert_int_equal(count[RSAN_POLICY_POS], 10);
  assert_int_equal(percents, 10 * (100 + 30 + 10 + 3));
}

// A queue of ten: the producer must be ten stores ahead. At each point anew, this hardly happens.
static uint32_t runs_with_ten_ahead(uint32_t switch_percent) {
  static const struct rsan_pending store = {.kind = RSAN_KIND_STORE, .object = 1, .writes = true};
  uint32_t runs = 0;
  for (uint64_t seed = 0; seed < 100; seed++) {
    struct rsan_schedule s;
    struct rsan_policy_options options = {.switch_percent = switch_percent, .seed = seed};
    rsan_schedule_init(&s, &options);
    uint32_t done[2] = {0};
    bool ahead = false;
    rsan_schedule_add(&s, RSAN_NO_THREAD);
    rsan_schedule_add(&s, RSAN_NO_THREAD);
    for (uint32_t i = 0; i < 40; i++) {
      uint32_t thread = rsan_schedule_choose(&s).thread;
      rsan_schedule_hand_in(&s, thread, &store);
      done[thread]++;
      ahead |= done[0] >= done[1] + 10;
    }
    rsan_schedule_clear(&s);
    runs += ahead;
  }
  return runs;
}

static void seldom_switches_fill_queues(void **state) {
  (void)state;
  assert_true(runs_with_ten_ahead(10) > 3 * runs_with_ten_ahead(100));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(only_what_can_proceed_is_chosen, end),
      cmocka_unit_test_teardown(a_condition_that_lies_lets_others_be_chosen, end),
      cmocka_unit_test_teardown(the_same_seed_gives_the_same_choices, end),
      cmocka_unit_test_teardown(another_seed_gives_others, end),
      cmocka_unit_test_teardown(a_restart_forgets_what_was_chosen_before, end),
      cmocka_unit_test_teardown(each_policy_sees_all_sc_results_of_sb, end),
      cmocka_unit_test_teardown(pct_without_changes_does_not, end),
      cmocka_unit_test_teardown(random_chooses_anew_as_often_as_it_is_told, end),
      cmocka_unit_test_teardown(mix_uses_all_policies, end),
      cmocka_unit_test_teardown(seldom_switches_fill_queues, end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
