// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small straight-line programs for exhaustive exploration. An operation is a
// trace_event whose outcome (read, ok) is left open; `written` of a fetch-op
// is what it adds. Text form, which a found difference is printed in:
//   "st 0 rel 1; ld 1 acq | st 1 rel 1; ld 0 acq"
// threads apart by '|', operations by ';', arguments as in the trace format
// without what is read and without the success flag. Order sc on accesses only
// where it is asked for.
#ifndef RSAN_TESTS_ORACLE_PROGRAMS_H
#define RSAN_TESTS_ORACLE_PROGRAMS_H

#include "rng.h"
#include "trace.h"

enum {
  PROGRAM_MAX_THREADS = 4,
  PROGRAM_MAX_OPS = 5, // a thread
  PROGRAM_MAX_LOCATIONS = 4,
};

struct program {
  uint32_t threads;
  uint32_t length[PROGRAM_MAX_THREADS];
  struct trace_event ops[PROGRAM_MAX_THREADS][PROGRAM_MAX_OPS];
};

// The shapes drawn: threads from 2 to 4, at most `max_ops` operations in all.
struct program_params {
  uint32_t max_ops;
  uint32_t locations;
  uint32_t values; // stored: 1 .. values
  // Shares at most; each program draws its own up to these.
  uint32_t ordered_percent; // accesses that are not relaxed
  uint32_t fence_percent;
  uint32_t rmw_percent;
  uint32_t blocking_percent; // waits and blocking compare-exchanges
  uint32_t sc_percent;       // accesses that are seq_cst; default 0
};

void program_params_default(struct program_params *params);
void program_random(const struct program_params *params, uint64_t seed, struct program *out);
// False: *reason says why.
bool program_parse(const char *text, struct program *out, const char **reason);
bool program_parse_sc(const char *text, struct program *out, const char **reason);
// With accesses of non-atomic memory as well ("wr 0", "rd 0").
bool program_parse_plain(const char *text, struct program *out, const char **reason);
void program_print(FILE *file, const struct program *program);

#endif
