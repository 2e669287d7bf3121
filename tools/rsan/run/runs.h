// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a command many times and gathers what its processes report. A run has a folder of its own
// with the command's output, a log of each process and the core of the command.

#ifndef RUNS_H
#define RUNS_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "records.h"

// How a run has ended, for a guide.
struct run_result {
  unsigned number;
  int status; // as waitpid gives it
  double seconds;
  bool hung;    // it took too long, and was ended
  bool stopped; // it was ended as nothing more is wanted: its end says nothing
};

// What says of runs that are not all alike what each of them is. It reads the logs; the loop does
// not. `options` is asked in the run's own process, all else in that of the loop.
struct run_guide {
  void *context;
  bool (*more)(void *context); // may a run be started now? Asked again whenever one has ended
  // Run NUMBER starts, and its folder is there. errno of what failed, or 0.
  int (*begin)(void *context, unsigned number, const char *folder);
  const char *(*options)(void *context, unsigned number);        // added to RSAN_OPTIONS
  bool (*ended)(void *context, const struct run_result *result); // is its folder to be kept?
};

// The greatest number that a run can have; a greater one in a folder is an error.
enum { RUN_LAST = 100000000 };

struct run_plan {
  char *const *command;                   // NULL at its end
  const char *folder;                     // exists; the runs' folders are made in there
  const char *options;                    // added to RSAN_OPTIONS, NULL for none
  const char *schedule;                   // policy; the number of the run is its seed. NULL: none
  unsigned iterations, jobs, until_clean; // 0: no limit (jobs: at least 1)
  unsigned earlier;                       // runs that the folder has already: the first ones
  bool elsewhere;                         // the earlier ones are not there: others make them
  FILE *history;                          // gets a line of JSON a run (history.h), NULL: none does
  double time, timeout;                   // seconds, 0: no limit
  unsigned fail_on;             // the classes of findings that fail (report/classes.h); 0: all
  const char *baseline;         // the file of what is known (baseline.h), NULL: none
  const char *changed_since;    // reports in lines changed since come first; NULL: none
  bool stop_on_first, keep;     // keep: clean runs' folders too
  bool allow_empty;             // it is no failure if nothing was checked
  bool verbose;                 // each report is printed, however many there are
  bool per_test;                // each test has choices by its name and the seed
  bool weak;                    // accesses are given stale values at random
  bool same_addresses;          // without randomisation, where the system lets us
  FILE *progress;               // what is said meanwhile, NULL for nothing
  void (*watch)(void *watched); // called several times a second meanwhile, NULL for nobody
  void *watched;
  const struct run_guide *guide; // NULL: the runs are alike
};

enum run_end { RUN_CLEAN, RUN_REPORTING, RUN_FAILED, RUN_HUNG, RUN_STOPPED, RUN_ENDS };

struct runs {
  struct records records;
  unsigned count[RUN_ENDS]; // a run that reports and fails is reporting
  unsigned without_news;    // last runs in a row that brought nothing new and did not fail
  unsigned first_failed;    // its number, 0 for none
  int failure;              // what a shell would call its exit status
  unsigned made;            // runs that were started
  unsigned kept;            // folders
  unsigned cores;
  unsigned departed; // runs in which a stale value was given
  bool interrupted;
  int start_error; // errno if the command could not be started, or the folder not be written to
};

// False, after a message on standard error, if nothing could be run.
bool runs_do(const struct run_plan *plan, const char *name, struct runs *runs);

// Runs that came to their end by themselves.
unsigned runs_ended(const struct runs *runs);

// The exit status for a start_error.
int runs_start_status(int error);

// The exit status of a command that has made them.
int runs_status(const struct run_plan *plan, const struct runs *runs);

// -- one run's process and its folder (process.c, files.c) --

struct run_process {
  pid_t pid;        // and the number of its group, and of the processes that setsid makes one
  unsigned number;  // of the run
  double begun;     // now_seconds()
  double signalled; // when it was asked to end, 0 if it was not
  bool hung, killed;
};

double now_seconds(void);

// The folder of a run. In static memory.
const char *run_folder(const struct run_plan *plan, unsigned number);

// Calls back with the path of each file in there whose name begins so: `report.' are the logs of
// its processes.
void run_files(const struct run_plan *plan, unsigned number, const char *prefix,
               void (*read)(void *context, const char *path), void *context);

// Removes the folder with all that is in it.
void run_folder_remove(const struct run_plan *plan, unsigned number);

// Starts run NUMBER; errno of what failed, or 0.
int run_start(const struct run_plan *plan, unsigned number, struct run_process *process);

// Is a process of the run about to say what its threads do, as its time is over?
bool run_is_reporting(const struct run_process *process);

// Sends the signal to all processes that the run has left, whatever groups they have made.
void run_signal(const struct run_process *process, int signal);

// Puts the core that the run's command has dumped into the run's folder; false if there is none.
bool run_take_core(const struct run_plan *plan, const struct run_process *process);

#endif
