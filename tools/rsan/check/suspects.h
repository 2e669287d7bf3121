// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Executions that have read memory from before the program's first thread as malloc has left it, or
// as the program has stored the same bytes. What it is their explorer cannot say, as that memory is
// the same in all executions; a replay of the whole program has other bytes there, and reports the
// read if it finds those.

#ifndef CHECK_SUSPECTS_H
#define CHECK_SUSPECTS_H

#include "progress.h"
#include "run/runs.h"
#include "verdict.h"

// Replays each of them that is no finding yet, as further runs of the plan, and makes those that
// report it findings. `runs` is what the plan's runs so far have brought, and then all of them.
void suspects_replay(struct run_plan *plan, const char *name, const struct check_bounds *bounds,
                     struct progress *progress, struct runs *runs);

#endif
