// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan/schedule/recorder.h and replay.h: the text of a schedule, written and read.

#include "unit.h"

#include "schedule/draw.h"
#include "text.h"

static struct text text;
static struct rsan_recorder record;
static struct rsan_replay replay;
static struct rsan_replay_head head;

static int begin(void **state) {
  (void)state;
  text.size = text.at = 0;
  rsan_recorder_init(&record, text_write, &text);
  return 0;
}

static int end(void **state) {
  (void)state;
  rsan_recorder_clear(&record);
  rsan_replay_clear(&replay);
  return unit_check_memory();
}

static struct rsan_label label(uint8_t kind, uint64_t point) {
  return (struct rsan_label){.kind = kind, .point = point};
}

static bool open(void) {
  rsan_replay_clear(&replay);
  return rsan_replay_open(&replay, text_read, &text, &head);
}

static void expect_step(uint32_t thread, struct rsan_label wanted) {
  assert_int_equal(replay.next.what, RSAN_REPLAY_STEP);
  assert_int_equal(replay.next.thread, thread);
  assert_true(rsan_label_same(replay.next.label, wanted));
  rsan_replay_take(&replay);
}

static void the_head_is_read_back(void **state) {
  (void)state;
  text_head(&record);
  rsan_recorder_end(&record);
  assert_string_equal(text.bytes, TEXT_HEAD "end 0\n");
  assert_true(open());
  assert_string_equal(head.build, "5d0c");
  assert_string_equal(head.arguments, "./a%20b 100%25");
  assert_string_equal(head.options, "schedule=random:seed=7");
  assert_int_equal(replay.next.what, RSAN_REPLAY_END);
}

static void a_loop_takes_few_words(void **state) {
  (void)state;
  text_head(&record);
  for (uint32_t i = 0; i < 1000; i++)
    rsan_recorder_step(&record, 3, label(2, 0x40 + i % 4));
  rsan_recorder_woken(&record, 2);
  rsan_recorder_step(&record, 1, label(2, 0x41));
  rsan_recorder_end(&record);
  char wanted[128];
  snprintf(wanted, sizeof wanted,
           "steps\n3@02:40 3@02:41 3@02:42 3@02:43 3.%02x 3*995 ^2 1.%02x\nend 1001\n",
           rsan_points_slot(label(2, 0x40)), rsan_points_slot(label(2, 0x41)));
  assert_string_equal(strstr(text.bytes, "steps\n"), wanted);
}

static void all_steps_are_read_back(void **state) {
  (void)state;
  struct rsan_draw draw = {1}, again = {1};
  text_head(&record);
  for (uint32_t i = 0; i < 2000; i++) {
    uint64_t drawn = rsan_draw(&draw);
    if (drawn % 16 == 5)
      rsan_recorder_woken(&record, drawn >> 8 & 15);
    // Points that are more than there are slots.
    rsan_recorder_step(&record, drawn >> 4 & 31, label(drawn >> 9 & 3, (drawn >> 12 & 255) * 16));
  }
  rsan_recorder_end(&record);
  assert_true(text.size < sizeof text.bytes);
  assert_true(open());
  for (uint32_t i = 0; i < 2000; i++) {
    uint64_t drawn = rsan_draw(&again);
    if (drawn % 16 == 5) {
      assert_int_equal(replay.next.what, RSAN_REPLAY_WOKEN);
      assert_int_equal(replay.next.thread, drawn >> 8 & 15);
      rsan_replay_take(&replay);
    }
    expect_step(drawn >> 4 & 31, label(drawn >> 9 & 3, (drawn >> 12 & 255) * 16));
  }
  assert_int_equal(replay.next.what, RSAN_REPLAY_END);
  assert_int_equal(replay.steps, 2000);
}

static void expect_event(enum rsan_replay_what what, uint32_t value) {
  assert_int_equal(replay.next.what, what);
  assert_int_equal(replay.next.value, value);
  rsan_replay_take(&replay);
}

static void choices_and_assumptions_are_read_back(void **state) {
  (void)state;
  text_head(&record);
  rsan_recorder_chosen(&record, 1);
  rsan_recorder_step(&record, 0, label(2, 3));
  rsan_recorder_chosen(&record, UINT32_MAX);
  rsan_recorder_chosen(&record, 0);
  rsan_recorder_failed(&record);
  rsan_recorder_assumed(&record);
  rsan_recorder_end(&record);
  assert_non_null(strstr(text.bytes, "\n=1 0@02:3 =4294967295 =0 ~ !\n"));
  assert_true(open());
  expect_event(RSAN_REPLAY_CHOSEN, 1);
  expect_step(0, label(2, 3));
  expect_event(RSAN_REPLAY_CHOSEN, UINT32_MAX);
  expect_event(RSAN_REPLAY_CHOSEN, 0);
  expect_event(RSAN_REPLAY_FAILED, 0);
  expect_event(RSAN_REPLAY_ASSUMED, 0);
  assert_int_equal(replay.next.what, RSAN_REPLAY_END);
}

static void the_largest_numbers_are_read_back(void **state) {
  (void)state;
  text_head(&record);
  rsan_recorder_step(&record, 4095, label(0xff, UINT64_MAX));
  rsan_recorder_step(&record, 4095, label(0, 0));
  rsan_recorder_end(&record);
  assert_true(open());
  expect_step(4095, label(0xff, UINT64_MAX));
  expect_step(4095, label(0, 0));
  assert_int_equal(replay.next.what, RSAN_REPLAY_END);
}

static void a_file_without_its_last_line_is_cut(void **state) {
  (void)state;
  text_head(&record);
  rsan_recorder_step(&record, 1, label(2, 3));
  rsan_recorder_flush(&record);
  assert_true(open());
  expect_step(1, label(2, 3));
  assert_int_equal(replay.next.what, RSAN_REPLAY_CUT);
}

static void expect_error(const char *file, const char *error, uint32_t line) {
  text.size = text.at = 0;
  text_write(&text, file, strlen(file));
  bool good = open();
  for (uint32_t i = 0; good && replay.next.what <= RSAN_REPLAY_ASSUMED && i < 100; i++)
    rsan_replay_take(&replay);
  if (!error) {
    assert_true(good);
    assert_int_equal(replay.next.what, RSAN_REPLAY_END);
    return;
  }
  assert_int_equal(replay.next.what, RSAN_REPLAY_BAD);
  assert_string_equal(replay.error, error);
  assert_int_equal(replay.line, line);
}

static void bad_heads_are_named(void **state) {
  (void)state;
  static char long_line[RSAN_REPLAY_BUILD + 64] = "rsan-schedule 1\nbuild ";
  memset(long_line + strlen(long_line), 'a', RSAN_REPLAY_BUILD);
  expect_error("", "this is no recorded schedule", 1);
  expect_error("{\"version\": 1}\n", "this is no recorded schedule", 1);
  expect_error("rsan-schedule 2\n", "the schedule is of another version of RSan", 1);
  expect_error("rsan-schedule 12\n", "the schedule is of another version of RSan", 1);
  expect_error("rsan-schedule 1\noptions a\n", "a line of the head is missing", 2);
  expect_error("rsan-schedule 1\nbuild 5d0c", "the file ends within its head", 2);
  expect_error(long_line, "a line of the head is too long", 2);
}

static void bad_steps_are_named(void **state) {
  (void)state;
  expect_error(TEXT_HEAD "0@02:40 0@02:41 0@02:40 0*3\nend 6\n", NULL, 0); // the twin
  expect_error(TEXT_HEAD "0@02:40 0@02:41\n0@02:40 0*3\nend 5\n",
               "the last line has another number of steps than the file", 8);
  static const char *const bad[] = {
      "0",
      "0@",
      "0@02",
      "0@02:",
      "0@102:40",
      "0@02:40x",
      "0.40",
      "0*1",
      "x",
      "-1@02:40",
      "0 @02:40",
      "0@02:11112222333344445",
      "0@02:40 0.zz",

      "0@02:40 0@02:41 0@02:40 0*0",
      "99999999999@02:40",
  };
  for (uint32_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    char file[256];
    snprintf(file, sizeof file, "%s%s\nend 1\n", TEXT_HEAD, bad[i]);
    expect_error(file, "a step is none", 6);
  }
  expect_error(TEXT_HEAD "^\nend 0\n", "a woken thread is none", 6);
  expect_error(TEXT_HEAD "=\nend 0\n", "a chosen value is none", 6);
  expect_error(TEXT_HEAD "=4294967296\nend 0\n", "a chosen value is none", 6);
  expect_error(TEXT_HEAD "!1\nend 0\n", "an assumption is none", 6);
  expect_error(TEXT_HEAD "^1 ^2 =3 !\nend 0\n", NULL, 0);
  expect_error(TEXT_HEAD "end\n", "the last line is none", 6);
  expect_error(TEXT_HEAD "end 0", "the last line is none", 6);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(the_head_is_read_back, begin, end),
      cmocka_unit_test_setup_teardown(a_loop_takes_few_words, begin, end),
      cmocka_unit_test_setup_teardown(all_steps_are_read_back, begin, end),
      cmocka_unit_test_setup_teardown(choices_and_assumptions_are_read_back, begin, end),
      cmocka_unit_test_setup_teardown(the_largest_numbers_are_read_back, begin, end),
      cmocka_unit_test_setup_teardown(a_file_without_its_last_line_is_cut, begin, end),
      cmocka_unit_test_setup_teardown(bad_heads_are_named, begin, end),
      cmocka_unit_test_setup_teardown(bad_steps_are_named, begin, end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
