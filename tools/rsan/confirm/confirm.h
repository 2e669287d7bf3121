// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of `rsan confirm`. A run's folder has what `rsan run' puts there, and in a run with
// departures `places' (weak_file=), weak.PID (weak_log=) and schedule.PID. runs.jsonl has a line
// for each run, confirm.json what was asked for, reports.jsonl the result.

#ifndef CONFIRM_H
#define CONFIRM_H

#include <stdbool.h>

#include "machines/asked.h"
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
  char **only; // arguments of --only (aim.h), owned
  size_t only_count;
  bool all_controls; // their number was asked for: --time does not reduce it
  double longest;    // seconds of a control run
  double time;       // seconds in all, 0: no limit
  double timeout;    // of a run, as asked for; negative: to be found out
  bool interrupted, on_terminal;
  char *refusal; // why the runtime makes no departures; owned
  int start_error;
  bool unwritten; // a line of runs.jsonl could not be written
};

// -- confirm.c --

// Makes the runs that have not been made yet. False if COMMAND cannot be started, or the runtime
// refuses its options; after a message.
bool confirm_runs(struct confirm *confirm);

// Takes in a run that was made, and what it has left in its folder.
void confirm_take(struct confirm *confirm, struct made *made, bool first);

// What a run is given in the end: RSAN_OPTIONS, for free(), and the file of weak_file= (errno of
// what failed, or 0). FOLDER: the run's, PLACES: that file.
char *confirm_options(const struct confirm *confirm, const struct trial *trial, const char *folder,
                      const char *places);
int confirm_write_places(const struct confirm *confirm, const struct trial *trial, FILE *file);

// Takes in a run that came to its end, and was begun. CEASED: as in struct made; NULL: it has ended
// just now. Is its folder to be kept?
bool confirm_ended(struct confirm *confirm, const struct run_result *result,
                   const struct trial *trial, const bool *ceased);

// Seconds after which a run hangs.
double confirm_timeout(const struct confirm *confirm);

// The control runs have been made.
void confirm_say_violations(const struct confirm *confirm);

void confirm_say_refusal(const struct confirm *confirm);

void confirm_free(struct confirm *confirm);

// -- machines.c --

// The same on other machines. RESUMED: goes on with what was begun in the folder. *INCOMPLETE: a
// line for free() if runs that were wanted were made nowhere, else NULL.
bool confirm_runs_on(struct confirm *confirm, const struct machines_asked *asked, bool resumed,
                     char **incomplete);

// -- resume.c --

// Writes down what was asked for. False after a message.
bool confirm_keep(const struct confirm *confirm);

// Goes on with what is in plan.folder. The command is for asked_free. False after a message.
bool confirm_resume(struct confirm *confirm, char ***command);

// -- result.c --

// Collects the reports of the control runs, the violations with what came of them ("confirmed",
// docs/guide/FORMATS.md).
void confirm_collect(struct confirm *confirm, struct collection *collection);

// -- summary.c --

void confirm_print(const struct confirm *confirm, const struct collection *collection);

#endif
