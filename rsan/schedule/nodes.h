// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The states of an exploration (dpor.h) at which something is to be explored.

#ifndef RSAN_SCHEDULE_NODES_H
#define RSAN_SCHEDULE_NODES_H

#include "dpor_state.h"

// A new one below `parent`; NULL: the first one.
struct rsan_dpor_node *rsan_dpor_new_node(struct rsan_dpor *d, struct rsan_dpor_node *parent);
void rsan_dpor_remove_node(struct rsan_dpor *d, struct rsan_dpor_node *node);

// Is it a preemption if the thread makes the next step there: a switch from one that could go on?
bool rsan_dpor_preempts(const struct rsan_dpor_node *node, uint32_t thread);

// The threads are to be explored at the node, but for those that the bound of preemptions forbids.
void rsan_dpor_backtrack(struct rsan_dpor *d, struct rsan_dpor_node *node, uint64_t threads);

#endif
