// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the races of a run, between steps that depend on each other, and demands the reversal of
// each (dpor.h).

#ifndef RSAN_SCHEDULE_RACES_H
#define RSAN_SCHEDULE_RACES_H

#include "dpor_state.h"

// Those of the nodes from `first` on, and of what was pending at the end of the run.
void rsan_dpor_reverse(struct rsan_dpor *d, uint32_t first, const struct rsan_dpor_trace *trace);

#endif
