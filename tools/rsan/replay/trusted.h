// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides whether `rsan replay' runs the program of a schedule without --trust. It does if a
// command of rsan has recorded a schedule of the same build and arguments for this user
// (trust/list.h) and the program is still that build: a relative name may be another program in
// another folder.

#ifndef REPLAY_TRUSTED_H
#define REPLAY_TRUSTED_H

#include <stdbool.h>

#include "trust/head.h"

// Adds the program of the schedule in that file to the user's list.
void schedule_trust(const char *file);

enum schedule_trust {
  SCHEDULE_TRUSTED,
  SCHEDULE_FOREIGN, // the list does not have it
  SCHEDULE_REBUILT, // the list has it, but the program is another build now
};

// Returns whether the list has the head's build and arguments, and the program of that name, as
// execvp finds it, is that build. A program that is not found counts as that build.
enum schedule_trust schedule_trusted(const struct schedule_head *head, const char *name);

#endif
