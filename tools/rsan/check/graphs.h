// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides by execution graphs whether a program that is not robust is correct. It is correct if the
// explorer has followed all graphs that C++20 allows, none of them fails, and no run has met
// anything that graphs do not cover. Some gaps of interleavings are none here, because graphs cover
// them: older values, C++20's fences, and a history without bounds.

#ifndef CHECK_GRAPHS_H
#define CHECK_GRAPHS_H

#include "unit/progress.h"

// Returns whether all graphs were followed and none fails. Then no more departures are explored.
// (If a graph fails, an execution with departures may show which violation makes it fail.)
bool graphs_decide(const struct progress *graphs);

// At the end, copies the results of graphs and their losses to `progress`, which has those of
// interleavings. A gap of the interleavings counts as a gap of the graphs, unless graphs cannot
// have that gap.
void graphs_settle(struct progress *progress, struct progress *graphs);

// Returns whether all graphs were followed and none fails. To be called after graphs_settle().
bool graphs_prove(const struct progress *progress);

// Returns the bounds that have cut graphs, such as "--loop 2 and --spurious 0", or "". `spurious`
// is the bound --spurious. The caller frees the text.
char *graphs_within(const struct progress *progress, unsigned spurious);
// Prints "proved correct, ..." without an end of line.
void graphs_print_proved(const struct progress *progress, unsigned spurious);
// Prints lines that say how many graphs fail, or why they are not all.
void graphs_print(const struct progress *progress);

#endif
