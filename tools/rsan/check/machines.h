// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An exploration that other machines share, in rounds. A process here explores for a while and cuts
// what is left into parts (compiler-rt-patch/src/exploration/rsan_explorer_parts.cpp). A unit
// explores one part, until nothing of it is left or the unit has made its share of executions, and
// brings back its tree. The next process here joins these trees with its own, makes the executions
// again that have shown something new, and explores on. The prefixes of a lost part are explored
// later.

#ifndef CHECK_MACHINES_H
#define CHECK_MACHINES_H

#include "home.h"
#include "machines/asked.h"

// Explores until nothing is left or a bound is reached. It also ends if no machine takes the parts
// that are left; then it sets `*incomplete`. False after a message.
bool check_on_machines(struct home *home, const struct machines_asked *asked, bool *incomplete);

#endif
