// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan run --confirm: what the program does by the violations of the runs. Not thread-safe.

#ifndef CONFIRMING_H
#define CONFIRMING_H

#include "runs.h"

// Runs `rsan confirm' of this very program for that many seconds, in the folder `confirm' of the
// plan's, and takes its answers into the records. Does nothing if there is no violation that is not
// known. What it could not do it says on standard error.
void confirming_run(const struct run_plan *plan, struct runs *runs, double seconds);

// Prints how many of the violations fail, are of a harmless kind, or are open, and where to go on.
// Prints nothing if there is none.
void confirming_print(const struct run_plan *plan, const struct runs *runs);

#endif
