// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the exploration of execution graphs says: whether a program that is not robust is correct.
// It is if all graphs that C++20 allows were followed, none of them fails, and nothing was met that
// graphs do not have. What graphs have and interleavings do not is no loss: older values, C++20's
// fences, a history without bounds.

#ifndef CHECK_GRAPHS_H
#define CHECK_GRAPHS_H

#include "unit/progress.h"

// Does no graph fail, so that no more departures are to be explored? (If one fails, an execution
// with departures may show by which violation.)
bool graphs_decide(const struct progress *graphs);

// At the end: `progress`, which has the interleavings, gets what was explored as graphs, and what
// makes it less than all. What was met in interleavings alone counts as well.
void graphs_settle(struct progress *progress, struct progress *graphs);

// Returns whether all graphs were followed and none fails. To be called after graphs_settle().
bool graphs_prove(const struct progress *progress);

// The bounds that have made a difference, such as "--loop 2 and --spurious 0"; "" for none.
// `spurious`: the bound --spurious. For free().
char *graphs_within(const struct progress *progress, unsigned spurious);
// Prints "proved correct, ..." without an end of line.
void graphs_print_proved(const struct progress *progress, unsigned spurious);
// Lines that say what has failed, or which graphs are missing.
void graphs_print(const struct progress *progress);

#endif
