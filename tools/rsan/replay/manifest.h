// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The list of programs that `rsan replay' runs without being asked to trust them. A recorded
// schedule names a program and its arguments, so a schedule from somebody else would make rsan
// replay run a command of theirs. The list has the build and the arguments of each program whose
// schedule a command of rsan has recorded for this user. It is the file
// $XDG_STATE_HOME/rsan/replays, or ~/.local/state/rsan/replays, with a line for each program.

#ifndef MANIFEST_H
#define MANIFEST_H

#include <stdbool.h>

#include "head.h"

// Adds the program of a schedule that rsan has recorded. If the list cannot be written, nothing is
// added, and rsan replay asks for --trust.
void manifest_add(const char *file);

// Returns whether the list has the program of that head. A list that another user may write counts
// as empty.
bool manifest_has(const struct schedule_head *head);

#endif
