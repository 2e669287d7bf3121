// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What comes of an exploration, in words. 'Proved' is said if all executions were made to their
// end, or to the bound of turns, nothing was found, and nothing was met that the exploration does
// not cover. Where the bound of turns, or that of compare-exchanges that fail, has made a
// difference it is a part of what is said. With --weak violations are no findings: executions do
// what they say. Where there are any, and no finding in all executions, that is complete, and no
// proof: it is so for executions with so many departures.

#ifndef CHECK_VERDICT_H
#define CHECK_VERDICT_H

#include "run/records.h"
#include "unit/progress.h"

enum verdict { VERDICT_PROVED, VERDICT_COMPLETE, VERDICT_FOUND, VERDICT_NOT_FINISHED };

struct check_bounds {
  long long preemptions;                       // -1: none
  unsigned loop, unroll, spurious, executions; // unroll: 0: none
  unsigned departures;                         // of an execution; 0: without departures
  // Most departures of the explorations that follow one that has found a violation (follow.h); 0:
  // none follows, as with --weak.
  unsigned follow;
  bool graphs; // the exploration is one of execution graphs
  double time;
};

// Is it one of the explorations that follow?
bool verdict_follows(const struct check_bounds *bounds);

// Does it keep the executions from being all? Those that are known from others are not lost.
bool verdict_is_loss(const struct progress *progress, const struct counted *why);
// Executions that rsan_assume has given up, and those that ended at the bounds of loops; of the
// last level of bounds.
unsigned long long verdict_assumed(const struct progress *progress);
unsigned long long verdict_bounded(const struct progress *progress);
// Executions in which a thread would have gone beyond --loop, and beyond --unroll.
unsigned long long verdict_turned(const struct progress *progress);
unsigned long long verdict_unrolled(const struct progress *progress);
// Executions in which a weak compare-exchange might have failed if --spurious allowed it.
unsigned long long verdict_spared(const struct progress *progress);

// Executions in which one more access might have departed if --departures allowed it.
unsigned long long verdict_retained(const struct progress *progress);

// Executions beside which C++20's fences allow what RC20's do not.
unsigned long long verdict_apart(const struct progress *progress);

enum verdict verdict_of(const struct progress *progress);
// Were all executions made, within the bounds, whether something was found or not?
bool verdict_is_whole(const struct progress *progress);
// Executions that came to their end, or to a bound of loops.
unsigned long long verdict_executions(const struct progress *progress);
// The bounds that have made a difference, such as "--loop 3 and --unroll 2"; "" for none. For
// free().
char *verdict_within(const struct progress *progress, const struct check_bounds *bounds);

// Prints each finding that no baseline has, with what repeats it. `program`: as for ends_add;
// `folder`: of the run's output.
void verdict_print_findings(const struct progress *progress, const struct records *records,
                            const char *program, const char *folder);
// Prints one line for the verdict, and those that say what makes it less than a proof.
void verdict_print(const struct progress *progress, const struct check_bounds *bounds,
                   const char *folder);

#endif
