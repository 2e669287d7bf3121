// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The exploring processes on this machine. They run one after the other, and each goes on where the
// one before it has stopped.

#ifndef CHECK_HOME_H
#define CHECK_HOME_H

#include "kept.h"
#include "run/runs.h"
#include "unit/progress.h"

struct home {
  const char *name; // begins messages
  const struct kept *kept;
  struct run_plan plan;
  struct runs runs; // of the newest process, with the reports of all
  struct progress progress;
  // Explorations that others follow (follow.h): the first one, and the last one whose executions
  // were all made.
  struct progress first, complete;
  struct progress graphs;  // of the exploration by execution graphs
  unsigned long long made; // executions of all explorations of this call
  double started;          // when the first of them was, by now_seconds()
  unsigned jobs;
  bool stop, on_terminal;
  bool goes_on; // an earlier call has left work to resume
  bool resumes; // the call is one of --resume
  double begun;
  unsigned long long before; // executions of earlier calls
};

// The bounds of one process; 0: none.
struct home_bounds {
  long long executions; // -1: only those in which parts have found something, to report them
  double time;
  unsigned parts; // into which it cuts what is left (machines.h)
};

// The file in which the explorer reports its progress (progress.h): `execution', or `departing-N'
// of an exploration with at most N departures that follows, or `graphs'. In static memory.
const char *home_file(const struct home *home, unsigned departures);

// Opens that file, and reads what earlier processes have written there. False after a message.
bool home_open(struct home *home);

// Starts a process that explores within the bounds, and waits until it ends.
void home_explore(struct home *home, const struct home_bounds *bounds);

// The runtime's options, for free(). FOLDER: of the files `execution' and `execution.state'.
char *home_options(const struct home *home, const char *folder, const struct home_bounds *bounds);

#endif
