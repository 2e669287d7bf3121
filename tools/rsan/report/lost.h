// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The line with which a process says how many accesses could not be checked, and why. Those of
// many processes become one line, which has the sum for each reason.

#ifndef LOST_H
#define LOST_H

#include <stdbool.h>

// Is the line such a statement?
bool lost_is(const char *line);

// Takes two such lines. Gives the one that states both. For free().
char *lost_add(const char *one, const char *other);

// Gives the statement without the name of the tool in front.
const char *lost_text(const char *line);

#endif
