// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides whether `rsan replay' runs the program of a schedule without --trust. It does if a
// command of rsan has recorded a schedule of the same build and arguments for this user
// (trust/list.h).

#ifndef REPLAY_TRUSTED_H
#define REPLAY_TRUSTED_H

#include <stdbool.h>

#include "trust/head.h"

// Adds the program of the schedule in that file to the user's list.
void schedule_trust(const char *file);

// Returns whether the list has the program of that head.
bool schedule_is_trusted(const struct schedule_head *head);

#endif
