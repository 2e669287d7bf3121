// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The list of what this user has run by rsan. A recorded schedule names a program and its
// arguments, and the folder of --resume a command, so files from somebody else would make rsan run
// a command of theirs. What is on the list is run; anything else needs --trust. The list is the
// file $XDG_STATE_HOME/rsan/trusted, or ~/.local/state/rsan/trusted, with a line for each entry.

#ifndef TRUST_LIST_H
#define TRUST_LIST_H

#include <stdbool.h>

// Adds the entry, a text without an end of line. If the list cannot be written, nothing is added,
// and --trust is asked for later.
void trust_list_add(const char *entry);

// Returns whether the list has that entry. A list that another user may write counts as empty.
bool trust_list_has(const char *entry);

#endif
