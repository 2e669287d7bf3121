// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The states of an exploration (dpor.h) at which something was explored, or still must be.

#ifndef RSAN_SCHEDULE_NODES_H
#define RSAN_SCHEDULE_NODES_H

#include "dpor_state.h"

// A new one below `parent`; NULL: the first one.
struct rsan_dpor_node *rsan_dpor_new_node(struct rsan_dpor *d, struct rsan_dpor_node *parent);
void rsan_dpor_remove_node(struct rsan_dpor *d, struct rsan_dpor_node *node);

// Is it a preemption if the thread makes the next step there: a switch from one that could go on?
bool rsan_dpor_preempts(const struct rsan_dpor_node *node, uint32_t thread);

// The reversal of a race has to begin at the node, with the next step of one of the threads
// `initial`. If one of them sleeps there, or will be explored there, nothing is left to do. Else
// one of them is added, preferably `own`. At a node of which another process decides, the need is
// noted.
void rsan_dpor_demand(struct rsan_dpor *d, struct rsan_dpor_node *node, uint64_t initial,
                      uint64_t own);

// The threads whose next steps from the node are still to be explored, where this process decides
// of the node (RSAN_DPOR_OWN).
uint64_t rsan_dpor_left_at(const struct rsan_dpor_node *node);
// Is there a step from the node that is still to be explored?
bool rsan_dpor_has_work(const struct rsan_dpor_node *node);
// Chooses such a step. Until its run has come back, the node counts as asked for.
void rsan_dpor_ask(struct rsan_dpor *d, struct rsan_dpor_node *node);

#endif
