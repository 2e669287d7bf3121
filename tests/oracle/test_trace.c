// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The trace reader: what it accepts comes out again byte for byte; what is
// malformed is refused with line and reason.
#define _POSIX_C_SOURCE 200809L

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h> // needs the above

#include "gen.h"
#include "rng.h"
#include "trace.h"

#define GOOD         "{\"id\":\"a\",\"threads\":2,\"events\":[[0,\"rd\",0]]}"
#define HEAD         "{\"id\":\"a\",\"threads\":2,\"events\":["
#define TAIL         "]}"
#define EVENTS(text) HEAD text TAIL

struct bad {
  const char *line;
  const char *reason; // part of the message
};

static const struct bad malformed[] = {
    // Syntax.
    {"", "empty line"},
    {"{", "not JSON"},
    {"nonsense", "not JSON"},
    {GOOD "x", "more text after the trace, at column"},
    {GOOD GOOD, "more text after the trace"},
    {"{\"id\":\"a\x01\",\"threads\":1,\"events\":[]}", "control character"},
    // Keys.
    {"[]", "not a JSON object"},
    {"{}", "key \"id\" is missing"},
    {"{\"id\":\"a\",\"events\":[]}", "key \"threads\" is missing"},
    {"{\"id\":\"a\",\"threads\":1}", "key \"events\" is missing"},
    {"{\"id\":\"a\",\"id\":\"b\",\"threads\":1,\"events\":[]}", "key \"id\" twice"},
    {"{\"id\":\"a\",\"threads\":1,\"events\":[],\"flag\":[]}", "unknown key \"flag\""},
    {"{\"id\":\"a\",\"threads\":1,\"events\":[],\"flags\":[]}", "come together"},
    {"{\"id\":1,\"threads\":1,\"events\":[]}", "\"id\": not a string"},
    {"{\"id\":\"a\",\"src\":1,\"threads\":1,\"events\":[]}", "\"src\": not a string"},
    {"{\"id\":\"a\",\"threads\":0,\"events\":[]}", "\"threads\": not a"},
    {"{\"id\":\"a\",\"threads\":1.5,\"events\":[]}", "\"threads\": not a"},
    {"{\"id\":\"a\",\"threads\":65537,\"events\":[]}", "\"threads\": not a"},
    {"{\"id\":\"a\",\"threads\":1,\"events\":{}}", "\"events\": not an array"},
    // Events.
    {EVENTS("1"), "event 0: not an array"},
    {EVENTS("[]"), "event 0: not an array"},
    {EVENTS("[0]"), "event 0: no operation"},
    {EVENTS("[0,\"zz\",0]"), "event 0: unknown operation"},
    {EVENTS("[0,1,0]"), "event 0: unknown operation"},
    {EVENTS("[2,\"rd\",0]"), "event 0: bad thread"},
    {EVENTS("[-1,\"rd\",0]"), "event 0: bad thread"},
    {EVENTS("[\"0\",\"rd\",0]"), "event 0: bad thread"},
    {EVENTS("[0,\"rd\",0],[0,\"rd\"]"), "event 1: too few arguments"},
    {EVENTS("[0,\"rd\",0,0]"), "event 0: too many arguments"},
    {EVENTS("[0,\"rd\",-1]"), "event 0: bad location"},
    {EVENTS("[0,\"rd\",99999999]"), "event 0: bad location"},
    {EVENTS("[0,\"lk\",\"m\"]"), "event 0: bad mutex"},
    {EVENTS("[0,\"cr\",2]"), "event 0: bad thread in \"cr\""},
    {EVENTS("[0,\"st\",0,\"rel\",1.5]"), "event 0: bad value"},
    {EVENTS("[0,\"st\",0,\"rel\",-1]"), "event 0: bad value"},
    {EVENTS("[0,\"st\",0,\"rel\",1e300]"), "event 0: bad value"},
    {EVENTS("[0,\"st\",0,\"rel\",null]"), "event 0: bad value"},
    {EVENTS("[0,\"st\",0,\"seq\",1]"), "event 0: not a memory order"},
    {EVENTS("[0,\"st\",0,1,1]"), "event 0: not a memory order"},
    {EVENTS("[0,\"st\",0,\"acq\",1]"), "order \"acq\" is not allowed on"},
    {EVENTS("[0,\"ld\",0,\"rel\",0]"), "order \"rel\" is not allowed on"},
    {EVENTS("[0,\"fn\",\"rlx\"]"), "order \"rlx\" is not allowed on"},
    {EVENTS("[0,\"ld\",0,\"sc\",0]"), "order \"sc\" is not allowed on"},
    {EVENTS("[0,\"cs\",0,\"ar\",\"rel\",0,0,1,1]"), "order \"rel\" is not allowed on failure"},
    {EVENTS("[0,\"cs\",0,\"ar\",\"acq\",0,0,1,2]"), "bad success flag"},
    // Well-formedness.
    {EVENTS("[0,\"ld\",0,\"acq\",1]"), "reads 1, but the last write is 0"},
    {EVENTS("[0,\"st\",0,\"rel\",1],[1,\"fa\",0,\"rlx\",0,1]"),
     "event 1: reads 0, but the last write is 1"},
    {EVENTS("[0,\"st\",0,\"rel\",1],[0,\"al\",0],[1,\"ld\",0,\"acq\",1]"), "event 2: reads 1"},
    {EVENTS("[0,\"wt\",0,\"acq\",1]"), "reads 1"},
    {EVENTS("[0,\"bc\",0,\"acq\",1,0]"), "reads 1"},
    {EVENTS("[0,\"wq\",0,0]"), "blocked although"},
    {EVENTS("[0,\"bq\",0,0]"), "blocked although"},
    {EVENTS("[0,\"cw\",0,\"ar\",\"acq\",0,1,1,1]"), "succeeds on another"},
    {EVENTS("[0,\"cs\",0,\"ar\",\"acq\",0,0,1,0]"), "strong"},
    {EVENTS("[0,\"lk\",0],[1,\"lk\",0]"), "event 1: mutex 0 is locked"},
    {EVENTS("[0,\"ul\",0]"), "event 0: mutex 0 is not held"},
    {EVENTS("[0,\"lk\",0],[1,\"ul\",0]"), "event 1: mutex 0 is not held"},
    {EVENTS("[0,\"cr\",0]"), "already started"},
    {EVENTS("[1,\"rd\",0],[0,\"cr\",1]"), "event 1: thread 1 has already"},
    {EVENTS("[0,\"cr\",1],[0,\"cr\",1]"), "event 1: thread 1 has already"},
    {EVENTS("[0,\"jn\",1],[0,\"cr\",1]"), "event 1: thread 1 was joined"},
    {EVENTS("[0,\"jn\",0]"), "joins itself"},
    {EVENTS("[0,\"jn\",1],[0,\"jn\",1]"), "event 1: thread 1 was already"},
    {EVENTS("[0,\"jn\",1],[1,\"rd\",0]"), "event 1: thread 1 was joined"},
    // Verdicts.
    {HEAD "[0,\"rd\",0]],\"flags\":[0],\"races\":[]}", "\"flags\": event 0 cannot be there"},
    {HEAD "[0,\"fn\",\"sc\"]],\"flags\":[],\"races\":[0]}", "\"races\": event 0 cannot be there"},
    {HEAD "[0,\"rd\",0]],\"flags\":[],\"races\":[1]}", "\"races\": not the"},
    {HEAD "[0,\"rd\",0]],\"flags\":[],\"races\":[0,0]}", "\"races\": not in ascending order"},
    {HEAD "[0,\"rd\",0]],\"flags\":0,\"races\":[]}", "\"flags\": not an array"},
};

// Each case as the third line of a file, after two good ones.
static void test_malformed(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof malformed / sizeof *malformed; i++) {
    const struct bad *bad = &malformed[i];
    char text[1024];
    snprintf(text, sizeof text, GOOD "\n" GOOD "\n%s\n", bad->line);
    FILE *file = fmemopen(text, strlen(text), "r");
    assert_non_null(file);
    struct trace_reader reader;
    struct trace trace = {0};
    struct trace_error error = {0};
    trace_reader_init(&reader, file, 0);
    assert_int_equal(trace_reader_next(&reader, &trace, &error), TRACE_READ);
    assert_int_equal(trace_reader_next(&reader, &trace, &error), TRACE_READ);
    if (trace_reader_next(&reader, &trace, &error) != TRACE_MALFORMED)
      fail_msg("accepted: %s", bad->line);
    assert_int_equal(error.line, 3);
    if (!strstr(error.reason, bad->reason))
      fail_msg("%s: says \"%s\"", bad->line, error.reason);
    trace_reader_free(&reader);
    trace_free(&trace);
    fclose(file);
  }
}

// Near misses of the above that are fine.
static const char *const accepted[] = {
    GOOD,
    EVENTS(""),
    "  {\"events\":[] , \"threads\":1, \"id\":\"\\\"\\\\\"}\r",
    EVENTS("[0,\"st\",0,\"rel\",1],[0,\"al\",0],[1,\"ld\",0,\"acq\",0]"),
    EVENTS("[0,\"cw\",0,\"ar\",\"acq\",0,0,1,0]"),
    EVENTS("[0,\"lk\",0],[1,\"lk\",1],[0,\"ul\",0],[1,\"lk\",0]"),
    EVENTS("[0,\"cr\",1],[1,\"rd\",0],[0,\"jn\",1]"),
    EVENTS("[0,\"wq\",0,1],[1,\"bq\",0,1]"),
    HEAD "[0,\"rd\",0],[0,\"rd\",0]],\"flags\":[],\"races\":[0,1]}",
};

static void test_accepted(void **state) {
  (void)state;
  struct trace trace = {0};
  struct trace_error error;
  for (size_t i = 0; i < sizeof accepted / sizeof *accepted; i++)
    if (!trace_parse(accepted[i], strlen(accepted[i]), 1, 0, &trace, &error))
      fail_msg("%s: %s", accepted[i], error.reason);
  const char *sc = EVENTS("[0,\"st\",0,\"sc\",1],[1,\"ld\",0,\"sc\",1]");
  assert_true(trace_parse(sc, strlen(sc), 1, TRACE_ALLOW_SC, &trace, &error));
  trace_free(&trace);
}

static void test_last_line_without_newline(void **state) {
  (void)state;
  char text[] = GOOD "\n" GOOD;
  FILE *file = fmemopen(text, strlen(text), "r");
  struct trace_reader reader;
  struct trace trace = {0};
  struct trace_error error;
  trace_reader_init(&reader, file, 0);
  assert_int_equal(trace_reader_next(&reader, &trace, &error), TRACE_READ);
  assert_int_equal(trace_reader_next(&reader, &trace, &error), TRACE_READ);
  assert_int_equal(trace_reader_next(&reader, &trace, &error), TRACE_END);
  trace_reader_free(&reader);
  trace_free(&trace);
  fclose(file);
}

static char *to_text(const struct trace *trace) {
  char *text = NULL;
  size_t size = 0;
  FILE *file = open_memstream(&text, &size);
  assert_non_null(file);
  trace_write(file, trace);
  fclose(file);
  return text;
}

static void test_round_trip(void **state) {
  (void)state;
  struct gen_params params;
  struct trace trace = {0}, again = {0};
  struct trace_error error;
  gen_params_default(&params);
  params.sc_percent = 10;
  for (uint64_t i = 0; i < 300; i++) {
    gen_trace(&params, rng_derive(31, i), &trace);
    trace_set_id(&trace, i % 2 ? "plain" : "\"quoted\\\"");
    trace.has_verdict = i % 3 != 0;
    char *text = to_text(&trace);
    if (!trace_parse(text, strlen(text) - 1, 1, TRACE_ALLOW_SC, &again, &error))
      fail_msg("%s: %s", text, error.reason);
    assert_int_equal(again.count, trace.count);
    assert_int_equal(again.has_verdict, trace.has_verdict);
    char *text_again = to_text(&again);
    assert_string_equal(text, text_again);
    free(text);
    free(text_again);
  }
  trace_free(&trace);
  trace_free(&again);
}

static void test_verdict_shape(void **state) {
  (void)state;
  struct trace_indices flags = {0}, races = {0};
  char *text = NULL;
  size_t size = 0;
  trace_indices_append(&flags, 3);
  trace_indices_append(&flags, 17);
  FILE *file = open_memstream(&text, &size);
  trace_write_verdict(file, "dev-0001", &flags, &races);
  fclose(file);
  assert_string_equal(text, "{\"id\":\"dev-0001\",\"flags\":[3,17],\"races\":[]}\n");
  free(text);
  free(flags.at);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_malformed),
      cmocka_unit_test(test_accepted),
      cmocka_unit_test(test_last_line_without_newline),
      cmocka_unit_test(test_round_trip),
      cmocka_unit_test(test_verdict_shape),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
