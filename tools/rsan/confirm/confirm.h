// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of `rsan confirm`. A run's folder has what `rsan run' puts there, and in a run with
// departures `places' (weak_file=), weak.PID (weak_log=) and schedule.PID. runs.jsonl has a line
// for each run, confirm.json what was asked for, reports.jsonl the result.

#ifndef CONFIRM_H
#define CONFIRM_H

#include <stdbool.h>

#include "report/collection.h"
#include "run/runs.h"
#include "trials.h"

// A run that is being made.
struct begun {
  unsigned run;
  struct trial trial;
  char *options; // owned
};

struct confirm {
  const char *name; // for messages
  struct run_plan plan;
  struct trials trials;
  struct records records; // of the first control runs
  struct records later;   // of the other runs
  struct begun *begun;
  size_t begun_count;
  double longest; // seconds of a control run
  double time;    // seconds in all, 0: no limit
  double timeout; // of a run, as asked for; negative: to be found out
  bool interrupted, on_terminal;
  char *refusal; // why the runtime makes no departures; owned
  int start_error;
};

// -- confirm.c --

// Makes the runs that have not been made yet. False if COMMAND cannot be started, or the runtime
// refuses its options; after a message.
bool confirm_runs(struct confirm *confirm);

// Takes in a run that was made, and what it has left in its folder.
void confirm_take(struct confirm *confirm, struct made *made, bool first);

void confirm_free(struct confirm *confirm);

// -- resume.c --

// Writes down what was asked for. False after a message.
bool confirm_keep(const struct confirm *confirm);

// Goes on with what is in plan.folder. The command is for asked_free. False after a message.
bool confirm_resume(struct confirm *confirm, char ***command);

// -- result.c --

// Collects the reports of the control runs, the violations with what came of them ("confirmed",
// docs/FORMATS.md).
void confirm_collect(struct confirm *confirm, struct collection *collection);

// -- summary.c --

void confirm_print(const struct confirm *confirm, const struct collection *collection);

#endif
