// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs of a program that are made as the runtime makes them: rsan/schedule/schedule.h asks
// rsan/schedule/explored.h who is next, and that notes the trace. Start and end of each thread are
// steps. Programs have accesses, mutexes and creations alone.

#ifndef RSAN_TESTS_DPOR_SCHEDULED_H
#define RSAN_TESTS_DPOR_SCHEDULED_H

#include "explore.h"

// Ends the process if the run is said to end in a livelock and does not, or the other way round.
void scheduled_run(const struct dpor_program *p, const struct rsan_dpor *d,
                   const struct rsan_dpor_node *node, struct run *run);
// The newest run.
bool scheduled_take_back(struct rsan_dpor *d, struct rsan_dpor_node *node);

#endif
