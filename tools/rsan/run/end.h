// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a run has ended, as a record like the runtime's reports (docs/guide/FORMATS.md): of what the
// runtime cannot report itself, that is, exit statuses, SIGKILL, and time-outs of other programs.

#ifndef RUN_END_H
#define RUN_END_H

#include "runs.h"

// Writes it to the run's folder, where it is read as a log. STATUS is waitpid's. errno, or 0.
int end_write(const struct run_plan *plan, const struct run_process *process, int status);

// The type of the runtime's reports of failed tests.
#define FAILED_TEST "failed test"

// Is a record of that type such an end, a time-out or a failed test? The command's status counts
// then.
bool end_is_type(const char *type);

#endif
