// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a run has left that another machine made, as if it had been made here: modules have the
// paths that they have here, frames are symbolized, and a process reports each defect once.

#ifndef CONFIRM_LOGS_H
#define CONFIRM_LOGS_H

#include "report/collection.h"
#include "run/runs.h"

struct logs {
  struct collection symbols;
  char **modules; // files of this machine that were copied to others; owned
  size_t module_count;
};

// Adds such a file.
void logs_add_module(struct logs *logs, const char *file);

// Rewrites the run's files report.PID and weak.PID. False: one cannot be written; errno says why.
bool logs_bring_home(struct logs *logs, const struct run_plan *plan, unsigned run);

void logs_free(struct logs *logs);

#endif
