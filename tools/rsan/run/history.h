// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The file runs.jsonl: a line of JSON for each run, in the order in which the runs ended.
//   {"run":7,"end":"with reports","status":66,"seconds":0.021,"tokens":["5d00954f976e9eb8"]}
// `status` is what a shell would call the run's exit status. "departed" and "core" are there if
// stale values were given, and if the run's folder has a core. With schedule= the number of the run
// is its seed. For the tries of `rsan confirm' a unit also says which "signal" ended the run,
// and whether its departures had "ceased" in the second half of its time.

#ifndef HISTORY_H
#define HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "runs.h"

enum { HISTORY_TOKENS = 4096 }; // of one run; those beyond are no part of a line

struct past_run {
  unsigned number;
  enum run_end end;
  int status;
  double seconds;
  int signal; // 0: none that is told
  bool departed, ceased, core;
};

// "clean", "with reports", "failed", "hung", "ended early"
const char *run_end_name(enum run_end end);

// Writes the line. Its tokens are those of the records that this run was the last to show.
void history_write(FILE *out, const struct past_run *run, const struct records *records);

// Takes a line apart; the tokens are written to TOKENS, and point into TREE, which the caller gives
// to cJSON_Delete in any case. False: it is no such line.
bool history_read(const char *line, struct past_run *run, const char *tokens[HISTORY_TOKENS],
                  size_t *count, cJSON **tree);

#endif
