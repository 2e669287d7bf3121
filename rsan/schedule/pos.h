// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Partial order sampling: Yuan, Yang, Gu, 'Partial order aware concurrency sampling' (CAV 2018).
// Each operation gets a random priority when it is handed in. When an operation is done, those that
// depend on it get new priorities. So of several operations on one object each is about as likely
// to be the next one, and so is each order of them.
//
// One thing is added: all operations get new priorities after a yield. A thread that waits in a
// loop for another one would go on otherwise until it happened to draw less than that one, which
// may take many millions of steps.

#ifndef RSAN_SCHEDULE_POS_H
#define RSAN_SCHEDULE_POS_H

#include "policy_state.h"
#include "threads.h"

void rsan_pos_handed_in(struct rsan_policy *p, struct rsan_threads *t, uint32_t id);
uint32_t rsan_pos_next(struct rsan_policy *p, struct rsan_threads *t);

#endif
