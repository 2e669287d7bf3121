// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the tries of `rsan confirm' are spent on, once the runs without departures have shown the
// violations: which of them are tried at all (--only), and in which order.
//
// The groups are those of `rsan report' (report/groups.h): violations that lack the same fence or
// order. The tries go round the groups, and within a group round its violations, so that each group
// is tried before one is tried in depth. A group of which a violation has failed waits for the
// others. The likeliest defects come first:
//
//   1. the access would read an older pointer, or its object is in the heap: what is published or
//      freed may be used
//   2. a fence is lacking: two threads may enter where one should
//   3. all others
//   4. the program would read again, as a wait or a compare-exchange does, or find the same value
//
// Violations that are harmless by a rule (report/classes.h) come when all others have had their
// tries.

#ifndef CONFIRM_AIM_H
#define CONFIRM_AIM_H

#include <stdio.h>

#include "confirm.h"

// Copies one argument of --only.
void aim_add(struct confirm *confirm, const char *only);

// Frees the copies.
void aim_free(struct confirm *confirm);

// Sets the group and rank of each violation, and excludes those that --only does not name.
void aim_tries(struct confirm *confirm);

// Prints a line for each group: how many tries it had, in how many of them a stale value was there
// to be given, and what came of it. Then how many violations --only has left out.
void aim_print(const struct confirm *confirm);

// Has --only left out all violations, although there are some?
bool aim_is_vain(const struct confirm *confirm);

#endif
