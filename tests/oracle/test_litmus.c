// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Litmus tests by their shape: robust or not by enumeration of all consistent
// graphs, and in how many interleavings the oracle flags a step. Each robust
// program stands next to one that differs in an order or a fence.
#define _POSIX_C_SOURCE 200809L

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h> // needs the above

#include "enumerate.h"

struct litmus {
  const char *name;
  const char *program;
  uint64_t flagged, all;
};

static const struct litmus litmus[] = {
    {"SB+rel+acq", "st 0 rel 1; ld 1 acq | st 1 rel 1; ld 0 acq", 2, 6},
    {"SB+rlx+scfences", "st 0 rlx 1; fn sc; ld 1 rlx | st 1 rlx 1; fn sc; ld 0 rlx", 0, 20},
    {"SB+one-scfence", "st 0 rel 1; fn sc; ld 1 acq | st 1 rel 1; ld 0 acq", 2, 10},
    {"SB+arfences", "st 0 rlx 1; fn ar; ld 1 rlx | st 1 rlx 1; fn ar; ld 0 rlx", 2, 20},
    {"MP+rel+acq", "st 0 rel 1; st 1 rel 1 | ld 1 acq; ld 0 acq", 0, 6},
    {"MP+rlx-load", "st 0 rel 1; st 1 rel 1 | ld 1 rlx; ld 0 acq", 1, 6},
    {"MP+rlx-store", "st 0 rel 1; st 1 rlx 1 | ld 1 acq; ld 0 acq", 1, 6},
    {"MP+fences", "st 0 rlx 1; fn rel; st 1 rlx 1 | ld 1 rlx; fn acq; ld 0 rlx", 0, 20},
    {"Example 3.1", "st 0 rel 1; ld 1 acq; st 0 rel 2 | st 1 rel 1; ld 0 acq; st 1 rel 2", 8, 20},
    {"Fig6.1", "fa 0 ar 1; ld 1 acq | st 1 rel 1; ld 0 acq", 2, 6},
    {"Fig6.2", "fa 0 ar 1; ld 1 acq | st 1 rel 1; st 0 rel 1", 0, 6},
    {"Fig6.2+plain-write", "st 0 rel 1; ld 1 acq | st 1 rel 1; st 0 rel 2", 2, 6},
    {"BARW(0,0)", "st 0 rel 1; wt 1 acq 0 | st 1 rel 1; wt 0 acq 0", 2, 4},
    {"BARW(1,1)", "st 0 rel 1; wt 1 acq 1 | st 1 rel 1; wt 0 acq 1", 0, 4},
    {"2+2W+reads", "st 0 rel 1; st 1 rel 2; ld 1 acq | st 1 rel 1; st 0 rel 2; ld 0 acq", 8, 20},
    {"2+2W", "st 0 rel 1; st 1 rel 2 | st 1 rel 1; st 0 rel 2", 2, 6},
    {"2+2W+scfences", "st 0 rel 1; fn sc; st 1 rel 2 | st 1 rel 1; fn sc; st 0 rel 2", 0, 20},
    {"IRIW+rel+acq", "st 0 rel 1 | st 1 rel 1 | ld 0 acq; ld 1 acq | ld 1 acq; ld 0 acq", 2, 180},
    {"IRIW+scfences",
     "st 0 rel 1 | st 1 rel 1 | ld 0 acq; fn sc; ld 1 acq | "
     "ld 1 acq; fn sc; ld 0 acq",
     0, 1120},
    {"WRC+rel+acq", "st 0 rel 1 | ld 0 acq; st 1 rel 1 | ld 1 acq; ld 0 acq", 0, 30},
    {"WRC+rlx", "st 0 rlx 1 | ld 0 rlx; st 1 rlx 1 | ld 1 rlx; ld 0 rlx", 1, 30},
    {"LB+rlx", "ld 0 rlx; st 1 rlx 1 | ld 1 rlx; st 0 rlx 1", 0, 6},
    {"CoRR+rlx", "st 0 rlx 1; st 0 rlx 2 | ld 0 rlx; ld 0 rlx", 0, 6},
    {"S+rel+acq", "st 0 rel 2; st 1 rel 1 | ld 1 acq; st 0 rel 1", 0, 6},
    {"S+rlx", "st 0 rlx 2; st 1 rlx 1 | ld 1 rlx; st 0 rlx 1", 1, 6},
    {"R+rel+acq", "st 0 rel 1; st 1 rel 1 | st 1 rel 2; ld 0 acq", 2, 6},
    {"SB+strong-cas", "st 0 rel 1; cs 1 ar acq 5 6 | st 1 rel 1; cs 0 ar acq 5 6", 2, 6},
    // The order of two fences shows only on the fences' own location, which
    // is no access of the program: robust.
    {"fence-order-unobserved", "st 0 rlx 1; ld 1 rlx | st 1 rlx 1; fn sc | fn sc; ld 0 rlx", 0, 90},
};

static void test_litmus(void **state) {
  (void)state;
  struct oracle oracle = {0};
  for (size_t i = 0; i < sizeof litmus / sizeof *litmus; i++) {
    const struct litmus *l = &litmus[i];
    struct program program;
    const char *reason;
    uint64_t flagged, all;
    if (!program_parse(l->program, &program, &reason))
      fail_msg("%s: %s", l->name, reason);
    enumerate_count(&program, &oracle, &flagged, &all);
    if (flagged != l->flagged || all != l->all)
      fail_msg("%s: flagged in %d of %d", l->name, (int)flagged, (int)all);
    bool robust = enumerate_robust(&program, NULL);
    if (robust != (flagged == 0))
      fail_msg("%s: %srobust", l->name, robust ? "" : "not ");
  }
  oracle_free(&oracle);
}

// What follows equal graphs is explored once: that must lose no flag.
static void test_merging(void **state) {
  (void)state;
  struct oracle oracle = {0};
  struct program_params params;
  program_params_default(&params);
  params.max_ops = 6;
  size_t found = 0;
  for (uint64_t i = 0; i < 400; i++) {
    struct program program;
    uint64_t flagged, all;
    program_random(&params, rng_derive(11, i), &program);
    enumerate_count(&program, &oracle, &flagged, &all);
    assert_int_equal(enumerate_flagged(&program, &oracle, NULL), flagged != 0);
    found += flagged != 0;
  }
  assert_in_range(found, 1, 399);
  oracle_free(&oracle);
}

static void test_program_text(void **state) {
  (void)state;
  static const char *const bad[] = {"",           "ld",           "ld 0",           "ld 0 rel",
                                    "ld 9 acq",   "st 0 acq 1",   "st 0 rlx x",     "fn rlx",
                                    "lk 0",       "wq 0 1",       "ld 0 sc",        "ld 0 acq |",
                                    "ld 0 acq ;", "ld 0 acq acq", "cs 0 ar rel 0 1"};
  struct program program;
  const char *reason;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    if (program_parse(bad[i], &program, &reason))
      fail_msg("%s", bad[i]);
  assert_true(program_parse("cs 0 ar acq 0 1|fn sc", &program, &reason));
  assert_int_equal(program.threads, 2);
  assert_int_equal(program.ops[0][0].failure, TRACE_ACQ);
  assert_int_equal(program.ops[0][0].written, 1);
}

// Random programs survive their text form.
static void test_round_trip(void **state) {
  (void)state;
  struct program_params params;
  program_params_default(&params);
  for (uint64_t i = 0; i < 200; i++) {
    struct program program, again;
    const char *reason;
    char text[1024] = "";
    program_random(&params, rng_derive(12, i), &program);
    FILE *file = fmemopen(text, sizeof text, "w");
    assert_non_null(file);
    program_print(file, &program);
    fclose(file);
    assert_true(program_parse(text, &again, &reason));
    assert_memory_equal(&program, &again, sizeof program);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_litmus),
      cmocka_unit_test(test_merging),
      cmocka_unit_test(test_program_text),
      cmocka_unit_test(test_round_trip),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
