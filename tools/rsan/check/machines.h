// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An exploration that other machines share, in rounds. A process here explores for a while and cuts
// what is left into parts (compiler-rt-patch/src/exploration/rsan_explorer_parts.cpp). A unit
// explores a part until nothing is left of it, or its share of executions was made, and brings back
// what it knows then. The next process here joins that with what it has, makes those executions
// again that have shown something new, and so on. A part that is lost is a part of what is left.

#ifndef CHECK_MACHINES_H
#define CHECK_MACHINES_H

#include "home.h"
#include "machines/asked.h"

// Has an earlier call begun it so?
bool check_is_on_machines(const char *folder);

// Explores. `*incomplete`: parts could be explored nowhere. False after a message.
bool check_on_machines(struct home *home, const struct machines_asked *asked, bool *incomplete);

#endif
