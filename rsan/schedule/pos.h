// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Partial order sampling: Yuan, Yang, Gu, 'Partial order aware concurrency sampling' (CAV 2018).
// Each operation gets a random priority when it is handed in, and a new one when an operation that
// depends on it has been done: then all orders of operations that depend on each other are likely.
//
// One thing is added. All operations depend on a yield: a thread that waits in vain would else run
// until it happened to draw less than the one that it waits for, which may be many millions of
// steps.

#ifndef RSAN_SCHEDULE_POS_H
#define RSAN_SCHEDULE_POS_H

#include "policy_state.h"
#include "threads.h"

void rsan_pos_handed_in(struct rsan_policy *p, struct rsan_threads *t, uint32_t id);
uint32_t rsan_pos_next(struct rsan_policy *p, struct rsan_threads *t);

#endif
