// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory of a schedule: by threads that live at the same time, whatever the number of steps.

#include "unit.h"

#include <malloc.h>

#include "programs.h"

#define STEPS 10000000
#define MANY  1000

static uint64_t written;

static int end(void **state) {
  (void)state;
  return unit_check_memory();
}

static void count_bytes(void *to, const char *text, uint32_t size) {
  (void)to, (void)text;
  written += size;
}

#if __has_feature(address_sanitizer)
size_t __sanitizer_get_current_allocated_bytes(void);
#endif

static size_t held(void) {
#if __has_feature(address_sanitizer)
  return __sanitizer_get_current_allocated_bytes();
#endif
  struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

static void make_steps(struct rsan_schedule *s, uint64_t steps) {
  for (uint64_t i = 0; i < steps; i++) {
    struct rsan_choice choice = rsan_schedule_choose(s);
    if (choice.outcome != RSAN_CHOSE_RUN)
      fail();
    struct rsan_pending pending = {
        .kind = i % 5 ? RSAN_KIND_LOAD : RSAN_KIND_STORE,
        .object = 1 + i % 7,
        .point = i * i % 1031,
        .writes = i % 5 == 0,
    };
    rsan_schedule_hand_in(s, choice.thread, &pending);
  }
}

static void flat_over_steps(const struct rsan_policy_options *options, uint32_t threads,
                            uint64_t steps) {
  struct rsan_schedule s;
  struct rsan_recorder record;
  rsan_recorder_init(&record, count_bytes, NULL);
  rsan_schedule_init(&s, options);
  s.record = &record;
  for (uint32_t i = 0; i < threads; i++)
    rsan_schedule_add(&s, RSAN_NO_THREAD);
  make_steps(&s, 10 * threads); // all have made one
  size_t before = held();
  make_steps(&s, steps);
  assert_int_equal(held(), before);
  assert_int_equal(s.steps, 10 * threads + steps);
  rsan_schedule_clear(&s);
  rsan_recorder_clear(&record);
}

static void long_runs_take_no_more(void **state) {
  (void)state;
  struct rsan_policy_options random = {.switch_percent = 30};
  struct rsan_policy_options pct = {.name = RSAN_POLICY_PCT, .depth = 3, .patience = 100};
  struct rsan_policy_options pos = {.name = RSAN_POLICY_POS};
  flat_over_steps(&random, 8, STEPS);
  flat_over_steps(&pct, 8, STEPS);
  flat_over_steps(&pos, 8, STEPS);
}

static void one_thousand_threads_live(void **state) {
  (void)state;
  for (uint32_t p = 0; p < POLICIES; p++)
    flat_over_steps(&policies[p], MANY, 10000);
}

// One after the other: numbers are used again.
static size_t after_short_threads(uint32_t count, bool released) {
  static const struct rsan_pending create = {.kind = RSAN_KIND_CREATE};
  struct rsan_schedule s;
  struct rsan_policy_options options = {.switch_percent = 100};
  rsan_schedule_init(&s, &options);
  rsan_schedule_add(&s, RSAN_NO_THREAD);
  assert_int_equal(rsan_schedule_choose(&s).thread, 0);
  for (uint32_t i = 0; i < count; i++) {
    uint32_t child = rsan_schedule_add(&s, RSAN_NO_THREAD);
    assert_int_equal(rsan_schedule_choose(&s).thread, child);
    rsan_schedule_end(&s, child);
    if (released)
      rsan_threads_release(&s.threads, child);
    rsan_schedule_hand_in(&s, 0, &create);
    assert_int_equal(rsan_schedule_choose(&s).thread, 0);
  }
  size_t bytes = held();
  rsan_schedule_clear(&s);
  return bytes;
}

static void short_threads_take_no_more(void **state) {
  (void)state;
  assert_int_equal(after_short_threads(10, true), after_short_threads(100000, true));
}

// The twin: threads that somebody may still ask for.
static void threads_that_are_not_released_do(void **state) {
  (void)state;
  assert_true(after_short_threads(10, false) < after_short_threads(100000, false));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(long_runs_take_no_more, end),
      cmocka_unit_test_teardown(one_thousand_threads_live, end),
      cmocka_unit_test_teardown(short_threads_take_no_more, end),
      cmocka_unit_test_teardown(threads_that_are_not_released_do, end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
