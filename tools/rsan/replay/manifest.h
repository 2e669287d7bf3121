// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A recorded schedule names a program with its arguments, and `rsan replay' runs it: a schedule
// from elsewhere is a command from elsewhere. So the user has a list of the programs, by build and
// arguments, whose runs rsan itself has started: $XDG_STATE_HOME/rsan/replays, else
// ~/.local/state/rsan/replays, a line each.

#ifndef MANIFEST_H
#define MANIFEST_H

#include <stdbool.h>

// The lines of a schedule's head, for free(); NULL: there is none.
struct schedule_head {
  char *build, *arguments, *options;
};

// Reads a regular file. False: it cannot be read, and errno says why (EINVAL: no regular file).
// MAGIC_FOUND: is it a schedule?
bool schedule_head_read(const char *file, struct schedule_head *head, bool *magic_found);
void schedule_head_free(struct schedule_head *head);

// Enters the program of a schedule that rsan has had recorded here. What cannot be entered is asked
// for when it is replayed.
void manifest_add(const char *file);

// Is the program of that head in the list? Not if somebody else may write to the list.
bool manifest_has(const struct schedule_head *head);

#endif
