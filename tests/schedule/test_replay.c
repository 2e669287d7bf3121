// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan/schedule/schedule.h: a recorded schedule is run again, and where it differs this is said.

#include "unit.h"

#include "programs.h"
#include "text.h"

static struct text text, second;
static struct rsan_recorder record;
static struct rsan_replay replay;
static struct rsan_replay_head head;
static struct model m;

static int end(void **state) {
  (void)state;
  rsan_recorder_clear(&record);
  rsan_replay_clear(&replay);
  return unit_check_memory();
}

static void record_into(struct text *into) {
  into->size = into->at = 0;
  rsan_recorder_clear(&record);
  rsan_recorder_init(&record, text_write, into);
  text_head(&record);
  m.schedule.record = &record;
}

static void finish(void) {
  model_run(&m);
  rsan_recorder_end(&record);
  model_clear(&m);
}

static void do_recorded(const struct model_program *program,
                        const struct rsan_policy_options *options) {
  model_init(&m, program, options);
  record_into(&text);
  finish();
}

// By another policy and seed, which must not matter; recorded as well.
static void do_again(const struct model_program *program, uint32_t moved_point) {
  static const struct rsan_policy_options other = {.switch_percent = 50, .seed = 12345};
  rsan_replay_clear(&replay);
  text.at = 0;
  assert_true(rsan_replay_open(&replay, text_read, &text, &head));
  model_init(&m, program, &other);
  m.moved_point = moved_point;
  m.schedule.replay = &replay;
  record_into(&second);
  finish();
}

static void a_replay_repeats_the_run(void **state) {
  (void)state;
  for (uint32_t i = 0; i < ENDING; i++)
    for (uint32_t p = 0; p < POLICIES; p++)
      for (uint64_t seed = 0; seed < 20; seed++) {
        struct rsan_policy_options options = seeded(&policies[p], seed);
        do_recorded(ending[i], &options);
        uint64_t choices = m.choices;
        do_again(ending[i], 0);
        assert_int_equal(m.schedule.difference.kind, RSAN_SAME);
        assert_int_equal(m.choices, choices);
        assert_int_equal(replay.next.what, RSAN_REPLAY_END);
        assert_string_equal(second.bytes, text.bytes);
      }
}

static void a_deadlock_is_repeated(void **state) {
  (void)state;
  uint32_t dead = 0;
  for (uint64_t seed = 0; seed < 50; seed++) {
    struct rsan_policy_options options = seeded(&policies[0], seed);
    do_recorded(&opposite, &options);
    enum rsan_outcome outcome = m.outcome;
    do_again(&opposite, 0);
    assert_int_equal(m.outcome, outcome);
    assert_int_equal(m.schedule.difference.kind, RSAN_SAME);
    dead += outcome == RSAN_CHOSE_DEADLOCK;
  }
  assert_in_range(dead, 1, 49);
}

static const struct rsan_policy_options anew = {.switch_percent = 100, .seed = 3};

static void expect_difference(enum rsan_difference_kind kind, uint64_t step) {
  const struct rsan_difference *difference = &m.schedule.difference;
  assert_int_equal(difference->kind, kind);
  assert_int_equal(difference->step, step);
  assert_int_equal(m.outcome, RSAN_CHOSE_NOBODY); // the policy went on
  assert_int_equal(m.wrong, 0);
}

static void another_build_is_named_at_its_first_point(void **state) {
  (void)state;
  do_recorded(&locks, &anew);
  do_again(&locks, 7);
  expect_difference(RSAN_DIFFERS_POINT, 2); // the first is the start of a thread, which has none
  assert_int_equal(m.schedule.difference.thread, 0);
  assert_int_equal(m.schedule.difference.recorded.kind, RSAN_KIND_CREATE);
  assert_int_equal(m.schedule.difference.here.kind, RSAN_KIND_CREATE);
  assert_int_equal(m.schedule.difference.here.point, m.schedule.difference.recorded.point + 7);
}

static void another_operation_is_named(void **state) {
  (void)state;
  static const struct model_program one = {{{{M_STORE, X, 1}, {M_STORE, Y, 1}, {M_LOAD, X}}}};
  static const struct model_program other = {{{{M_STORE, X, 1}, {M_YIELD}, {M_LOAD, X}}}};
  do_recorded(&one, &anew);
  do_again(&other, 0);
  expect_difference(RSAN_DIFFERS_POINT, 3);
  assert_int_equal(m.schedule.difference.recorded.kind, RSAN_KIND_STORE);
  assert_int_equal(m.schedule.difference.here.kind, RSAN_KIND_YIELD);
}

static void a_longer_run_is_named(void **state) {
  (void)state;
  static const struct model_program one = {{{{M_LOOP, X, 0}, {M_UP, X}}}};
  static const struct model_program other = {{{{M_LOOP, X, 0}, {M_UP, X}, {M_UP, X}}}};
  do_recorded(&one, &anew);
  do_again(&other, 0);
  expect_difference(RSAN_DIFFERS_POINT, 4);
  text.size -= strlen("end 4\n"); // the record is cut
  text.bytes[text.size] = 0;
  do_again(&one, 0);
  assert_int_equal(m.schedule.difference.kind, RSAN_SAME);
}

static void write_schedule(const char *steps) {
  text.size = text.at = 0;
  text_write(&text, TEXT_HEAD, strlen(TEXT_HEAD));
  text_write(&text, steps, strlen(steps));
}

// By hand: the point of thread t's instruction i is 100 t + 3 i.
static void what_cannot_be_repeated_is_named(void **state) {
  (void)state;
  static const struct model_program waits = {{
      {{M_CREATE, 1}, {M_UP, SEM}},
      {{M_DOWN, SEM}},
  }};
  write_schedule("0@00:0 0@12:0 1@00:0 0@0f:3 1@0e:64 1@01:67 0@01:6\nend 7\n");
  do_again(&waits, 0);
  assert_int_equal(m.schedule.difference.kind, RSAN_SAME); // the twin
  write_schedule("0@00:0 0@12:0 1@00:0 1@0e:64\nend 4\n");
  do_again(&waits, 0);
  expect_difference(RSAN_DIFFERS_BLOCKED, 4);
  write_schedule("0@00:0 0@12:0 1@00:0 1@8e:64\nend 4\n"); // out of time, and has no limit
  do_again(&waits, 0);
  expect_difference(RSAN_DIFFERS_POINT, 4);
  write_schedule("0@00:0 0@12:0 2@00:0\nend 3\n");
  do_again(&waits, 0);
  expect_difference(RSAN_DIFFERS_THREAD, 3);
  write_schedule("0@00:0 0@12:0 ^1\nend 2\n");
  do_again(&waits, 0);
  expect_difference(RSAN_DIFFERS_WAKE, 3);
  write_schedule("0@00:0 0@12:0\nend 2\n");
  do_again(&waits, 0);
  expect_difference(RSAN_DIFFERS_END, 3);
  write_schedule("0@00:0 0@12:0 0+3\nend 2\n");
  do_again(&waits, 0);
  expect_difference(RSAN_DIFFERS_FILE, 3);
  assert_string_equal(replay.error, "a step is none");
  assert_int_equal(replay.line, 6);
}

// The choice of a sleeper is part of the record.
static void who_is_woken_is_repeated(void **state) {
  (void)state;
  do_recorded(&sleepers, &anew);
  char *woken = strchr(text.bytes, '^');
  assert_non_null(woken);
  woken++;
  *woken = *woken == '1' ? '2' : '1';
  do_again(&sleepers, 0);
  assert_int_not_equal(m.schedule.difference.kind, RSAN_SAME); // another one goes on later
  *woken = '0';                                                // does not sleep
  do_again(&sleepers, 0);
  assert_int_equal(m.schedule.difference.kind, RSAN_DIFFERS_WAKE);
}

// A step is no wake, and one sleeper needs none.
static void a_wake_is_recorded_where_there_is_a_choice(void **state) {
  (void)state;
  do_recorded(&sleepers, &anew);
  char *woken = strchr(text.bytes, '^');
  assert_non_null(woken);
  char step[] = {woken[1], '@', '0', '2', ':', '1'};
  memmove(woken + sizeof step, woken + 2, strlen(woken + 2) + 1);
  memcpy(woken, step, sizeof step);
  text.size += sizeof step - 2;
  do_again(&sleepers, 0);
  assert_int_equal(m.schedule.difference.kind, RSAN_DIFFERS_WAKE);
  for (uint64_t seed = 0; seed < 20; seed++) {
    struct rsan_policy_options options = seeded(&policies[0], seed);
    do_recorded(&timed_signal, &options);
    assert_null(strchr(text.bytes, '^'));
  }
}

static bool opened;
static bool is_open(void *unused) {
  (void)unused;
  return opened;
}

// What changed was no operation's doing: the condition is asked when its thread is to go on.
static void conditions_are_asked_again(void **state) {
  (void)state;
  static const struct rsan_pending waits = {
      .kind = RSAN_KIND_SPIN, .object = 1, .point = 5, .until = RSAN_UNTIL_HOLDS, .holds = is_open};
  static const struct rsan_pending other = {.kind = RSAN_KIND_STORE, .object = 2, .point = 9};
  for (int opens = 0; opens < 2; opens++) {
    struct rsan_schedule *s = &m.schedule;
    write_schedule("0@00:0 1@00:0 0@06:5\nend 3\n");
    rsan_replay_clear(&replay);
    assert_true(rsan_replay_open(&replay, text_read, &text, &head));
    rsan_schedule_init(s, &anew);
    s->replay = &replay;
    rsan_schedule_add(s, RSAN_NO_THREAD);
    rsan_schedule_add(s, RSAN_NO_THREAD);
    opened = false;
    assert_int_equal(rsan_schedule_choose(s).thread, 0);
    rsan_schedule_hand_in(s, 0, &waits);
    assert_int_equal(rsan_schedule_choose(s).thread, 1);
    opened = opens;
    rsan_schedule_hand_in(s, 1, &other);
    assert_int_equal(rsan_schedule_choose(s).thread, opens ? 0 : 1);
    assert_int_equal(s->difference.kind, opens ? RSAN_SAME : RSAN_DIFFERS_BLOCKED);
    rsan_schedule_clear(s);
  }
}

// Not in another place than it was.
static void a_failed_compare_exchange_is_repeated(void **state) {
  (void)state;
  static const struct rsan_pending exchange = {
      .kind = RSAN_KIND_RMW, .object = 2, .point = 9, .writes = true};
  struct rsan_schedule *s = &m.schedule;
  write_schedule("0@00:0 0@04:9 ~ 0@04:9\nend 3\n");
  assert_true(rsan_replay_open(&replay, text_read, &text, &head));
  rsan_schedule_init(s, &anew);
  s->replay = &replay;
  rsan_schedule_add(s, RSAN_NO_THREAD);
  assert_int_equal(rsan_schedule_choose(s).thread, 0);
  assert_false(rsan_schedule_fails(s));
  for (int i = 0; i < 2; i++) {
    rsan_schedule_hand_in(s, 0, &exchange);
    assert_int_equal(rsan_schedule_choose(s).thread, 0);
    assert_int_equal(rsan_schedule_fails(s), i == 0);
  }
  assert_int_equal(s->difference.kind, RSAN_SAME);
  rsan_schedule_clear(s);
  // Nor in a run that repeats nothing.
  rsan_schedule_init(s, &anew);
  assert_false(rsan_schedule_fails(s));
  rsan_schedule_clear(s);
}

// The thread that is recorded next is outside for too long.
static void a_replay_can_be_given_up(void **state) {
  (void)state;
  static const struct rsan_pending other = {.kind = RSAN_KIND_STORE, .object = 2, .point = 9};
  struct rsan_schedule *s = &m.schedule;
  write_schedule("0@00:0 1@00:0 0@16:5 1@03:9\nend 4\n");
  assert_true(rsan_replay_open(&replay, text_read, &text, &head));
  rsan_schedule_init(s, &anew);
  s->replay = &replay;
  rsan_schedule_add(s, RSAN_NO_THREAD);
  rsan_schedule_add(s, RSAN_NO_THREAD);
  assert_int_equal(rsan_schedule_choose(s).thread, 0);
  rsan_schedule_leave(s, 0);
  assert_int_equal(rsan_schedule_choose(s).thread, 1);
  rsan_schedule_hand_in(s, 1, &other);
  assert_int_equal(rsan_schedule_choose(s).outcome, RSAN_CHOSE_AWAIT);
  rsan_schedule_stop_replay(s);
  struct rsan_choice choice = rsan_schedule_choose(s);
  assert_int_equal(choice.outcome, RSAN_CHOSE_RUN);
  assert_int_equal(choice.thread, 1);
  assert_int_equal(s->difference.kind, RSAN_DIFFERS_BLOCKED);
  rsan_schedule_clear(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(a_replay_repeats_the_run, end),
      cmocka_unit_test_teardown(a_deadlock_is_repeated, end),
      cmocka_unit_test_teardown(another_build_is_named_at_its_first_point, end),
      cmocka_unit_test_teardown(another_operation_is_named, end),
      cmocka_unit_test_teardown(a_longer_run_is_named, end),
      cmocka_unit_test_teardown(what_cannot_be_repeated_is_named, end),
      cmocka_unit_test_teardown(who_is_woken_is_repeated, end),
      cmocka_unit_test_teardown(a_wake_is_recorded_where_there_is_a_choice, end),
      cmocka_unit_test_teardown(conditions_are_asked_again, end),
      cmocka_unit_test_teardown(a_failed_compare_exchange_is_repeated, end),
      cmocka_unit_test_teardown(a_replay_can_be_given_up, end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
