// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The list of commands that this user has run with rsan. A recorded schedule and the folder of
// --resume each name a command. If another person wrote them, rsan would run that person's command.
// Therefore rsan runs a command only if it is on the list or --trust is given. The list is the file
// $XDG_STATE_HOME/rsan/trusted, or ~/.local/state/rsan/trusted; each line is an entry.

#ifndef TRUST_LIST_H
#define TRUST_LIST_H

#include <stdbool.h>

// Adds the entry, which must not contain a newline. If the list cannot be written, the entry is not
// added, and rsan will ask for --trust.
void trust_list_add(const char *entry);

// Returns whether the list has that entry. Ignores a list that another user may write to.
bool trust_list_has(const char *entry);

#endif
