// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Executions in which an atomic read has found the pattern that the runtime fills new memory with,
// in memory that was allocated before the program created its first thread. The explorer cannot say
// whether nobody has initialised that memory or the program has stored the same bytes, as it is the
// same in all executions. A replay of the whole program fills it with another pattern, and reports
// the read if it finds that one.

#ifndef CHECK_SUSPECTS_H
#define CHECK_SUSPECTS_H

#include "run/runs.h"
#include "unit/progress.h"
#include "verdict.h"

// Replays each such execution that is not a finding yet, as a further run of the plan. One whose
// replay reports the read becomes a finding. `runs` has the results of the plan's runs so far, and
// has those of the replays as well when this returns.
void suspects_replay(struct run_plan *plan, const char *name, const struct check_bounds *bounds,
                     struct progress *progress, struct runs *runs);

#endif
