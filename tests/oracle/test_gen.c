// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random traces: well-formed, repeatable, of every kind; and on them the table
// of checks against what it stands for: a placement of the access that RC20
// allows and no SC run has.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h> // needs the above

#include "enumerate.h"
#include "gen.h"
#include "rng.h"

static void assert_well_formed(const struct trace *trace) {
  struct trace_error error;
  if (!trace_check(trace, &error))
    fail_msg("%s", error.reason);
}

static void test_well_formed(void **state) {
  (void)state;
  struct gen_params params;
  struct trace trace = {0};
  size_t seen[TRACE_OP_COUNT] = {0};
  gen_params_default(&params);
  for (uint64_t i = 0; i < 2000; i++) {
    gen_trace(&params, rng_derive(21, i), &trace);
    assert_well_formed(&trace);
    assert_in_range(trace.count, params.events_min, params.events_max);
    for (size_t e = 0; e < trace.count; e++)
      seen[trace.events[e].op]++;
  }
  for (int op = 0; op < TRACE_OP_COUNT; op++)
    if (!seen[op])
      fail_msg("no %s", trace_op_name(op));
  trace_free(&trace);
}

static void test_large(void **state) {
  (void)state;
  struct gen_params params;
  struct trace trace = {0};
  gen_params_default(&params);
  params.threads_min = params.threads_max = 32;
  params.atomics_min = params.atomics_max = 100000;
  params.events_min = params.events_max = 200000;
  params.values_min = params.values_max = 1; // no blocked arrival is possible
  params.mutexes = params.plains = 0;
  gen_trace(&params, 22, &trace);
  assert_int_equal(trace.count, 200000);
  assert_well_formed(&trace);
  trace_free(&trace);
}

static void test_repeatable(void **state) {
  (void)state;
  struct gen_params params;
  struct trace a = {0}, b = {0};
  gen_params_default(&params);
  params.events_min = params.events_max = 50;
  gen_trace(&params, 23, &a);
  gen_trace(&params, 23, &b);
  assert_int_equal(a.count, b.count);
  assert_memory_equal(a.events, b.events, a.count * sizeof *a.events);
  gen_trace(&params, 24, &b);
  assert_memory_not_equal(a.events, b.events, a.count * sizeof *a.events);
  trace_free(&a);
  trace_free(&b);
}

static void test_checks_mean_placements(void **state) {
  (void)state;
  struct gen_params params;
  struct trace trace = {0};
  struct oracle oracle = {0};
  size_t flagged = 0, passed = 0;
  gen_params_default(&params);
  params.events_max = 24;
  for (uint64_t i = 0; i < 1500; i++) {
    params.sc_percent = i % 3 == 0 ? 15 : 0;
    gen_trace(&params, rng_derive(25, i), &trace);
    assert_true(oracle_run(&oracle, &trace));
    size_t next = 0;
    for (size_t e = 0; e < trace.count; e++) {
      bool flag = next < oracle.flags.count && oracle.flags.at[next] == e;
      next += flag;
      if (!trace_op_is_checked(trace.events[e].op))
        continue;
      if (placements_violate(&trace, e, GRAPH_SC_FENCE) != flag)
        fail_msg("trace %d of seed 25, event %d", (int)i, (int)e);
      flagged += flag;
      passed += !flag;
    }
  }
  assert_true(flagged > 100 && passed > 100);
  trace_free(&trace);
  oracle_free(&oracle);
}

// Verdicts depend on a prefix only: the last event's check on each prefix.
static void test_prefixes(void **state) {
  (void)state;
  struct gen_params params;
  struct trace trace = {0};
  struct oracle whole = {0}, prefix = {0};
  gen_params_default(&params);
  for (uint64_t i = 0; i < 300; i++) {
    gen_trace(&params, rng_derive(26, i), &trace);
    assert_true(oracle_run(&whole, &trace));
    size_t next = 0;
    for (size_t e = 0, count = trace.count; e < count; e++) {
      trace.count = e + 1;
      bool flag = next < whole.flags.count && whole.flags.at[next] == e;
      next += flag;
      assert_int_equal(oracle_last_flags(&prefix, &trace), flag);
    }
  }
  trace_free(&trace);
  oracle_free(&whole);
  oracle_free(&prefix);
}

// The sc access of each event spelled out. Indices of the new trace's events
// are kept in `origin`.
static void spell_out(const struct trace *trace, struct trace *out, size_t *origin) {
  trace_clear(out);
  out->threads = trace->threads;
  for (size_t e = 0; e < trace->count; e++) {
    struct trace_event event = trace->events[e];
    bool access = trace_op_is_access(event.op);
    if (access && (event.order == TRACE_SC || event.failure == TRACE_SC)) {
      struct trace_event fence = {.op = TRACE_FENCE, .thread = event.thread, .order = TRACE_SC};
      origin[out->count] = e;
      trace_append(out, &fence);
    }
    bool reads = event.op == TRACE_LOAD || event.op == TRACE_WAIT;
    if (access && event.order == TRACE_SC)
      event.order = reads ? TRACE_ACQ : event.op == TRACE_STORE ? TRACE_REL : TRACE_AR;
    if (access && event.failure == TRACE_SC)
      event.failure = TRACE_ACQ;
    origin[out->count] = e;
    trace_append(out, &event);
  }
}

static void test_sc_access_is_fence_and_access(void **state) {
  (void)state;
  struct gen_params params;
  struct trace trace = {0}, spelled = {0};
  struct oracle a = {0}, b = {0};
  size_t origin[128], flags = 0;
  gen_params_default(&params);
  params.sc_percent = 25;
  for (uint64_t i = 0; i < 500; i++) {
    gen_trace(&params, rng_derive(27, i), &trace);
    spell_out(&trace, &spelled, origin);
    assert_true(oracle_run(&a, &trace) && oracle_run(&b, &spelled));
    assert_int_equal(a.flags.count, b.flags.count);
    assert_int_equal(a.races.count, b.races.count);
    for (size_t k = 0; k < a.flags.count; k++)
      assert_int_equal(a.flags.at[k], origin[b.flags.at[k]]);
    for (size_t k = 0; k < a.races.count; k++)
      assert_int_equal(a.races.at[k], origin[b.races.at[k]]);
    flags += a.flags.count;
  }
  assert_true(flags > 0);
  trace_free(&trace);
  trace_free(&spelled);
  oracle_free(&a);
  oracle_free(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_well_formed), cmocka_unit_test(test_large),
      cmocka_unit_test(test_repeatable),  cmocka_unit_test(test_checks_mean_placements),
      cmocka_unit_test(test_prefixes),    cmocka_unit_test(test_sc_access_is_fence_and_access),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
