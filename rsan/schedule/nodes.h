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

// A reversal that begins with one of the steps `initial` is to be explored at the node, unless one
// of them is, or sleeps there. `own`: the one that is taken if it is among them. At a node of
// others it is noted, once.
void rsan_dpor_demand(struct rsan_dpor *d, struct rsan_dpor_node *node, uint64_t initial,
                      uint64_t own);

// The threads that are still to be explored at the node, if it is an own one.
uint64_t rsan_dpor_left_at(const struct rsan_dpor_node *node);
bool rsan_dpor_has_work(const struct rsan_dpor_node *node);
// A run along a new step from the node, which has work, is under way.
void rsan_dpor_ask(struct rsan_dpor *d, struct rsan_dpor_node *node);

#endif
