// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// runs.jsonl in the folder of `rsan confirm': a line for each run that has come to its end, in
// their order, so that --resume can go on from there.

#ifndef CONFIRM_JOURNAL_H
#define CONFIRM_JOURNAL_H

#include <stdbool.h>
#include <stdio.h>

#include "trials.h"

// Appends a line. FIRST: the run is one of the control runs that give the violations. False with
// errno set.
bool journal_write(const char *folder, const struct trials *trials, const struct made *made,
                   bool first);

// Calls back for each line, in order; the run's texts are the callee's. A line that is broken off
// is passed over, as its run is made again. Returns false with errno if the file exists but cannot
// be read or is not regular.
bool journal_read(const char *folder, const struct trials *trials,
                  void (*take)(void *context, struct made *made, bool first), void *context);

#endif
