// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the executions with departures say of each violation: does the program fail where its access
// departs? The answer is the member "confirmed" of the violation's record, as of `rsan confirm'
// (docs/guide/FORMATS.md), with which all formats have it.
//
// A failure is put down to all violations of the access that has departed, whichever write they
// say that it misses: an access that is given an old version misses all writes since. A failure
// that comes without departures as well is put down to none.

#ifndef CHECK_CONSEQUENCE_H
#define CHECK_CONSEQUENCE_H

#include "run/runs.h"
#include "verdict.h"

// Adds the answer to each violation among the records. Sets in the progress how many violations
// these are, and how many of them fail.
void consequence_add(const struct run_plan *plan, struct progress *progress,
                     const struct check_bounds *bounds, struct records *records);

// Prints two lines for each violation that no baseline has: where it is, and what comes of it;
// those that fail first.
void consequence_print(const struct records *records);

#endif
