// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The policies, which choose the next thread. Each is a function of what is pending, and of a seed.
//
//   random  at `switch_percent` of the points any of the threads that can proceed; else the one
//           that ran goes on (random.c)
//   pct     priorities, and `depth` - 1 points at which the running thread gets a lower one (pct.c)
//   pos     priorities of operations, drawn anew when an operation that depends on them has been
//           done (pos.c)
//   mix     one of these by the seed: random with 100, 30, 10 and 3 per cent, pos, pct of depth 3
//
// With pct and pos a thread that has made `patience` steps while others could proceed gives way,
// for it may wait in a loop that nobody has recognised, alone or in turns with others; that is
// counted, as pct's bound does not hold for such a run.
//
// No policy is best for all programs. `random` that chooses at every point keeps queues short, and
// meets no defect of long ones; a defect of few changes hides from it where there are many points.

#ifndef RSAN_SCHEDULE_POLICY_H
#define RSAN_SCHEDULE_POLICY_H

#include <stdint.h>

#include "policy_state.h"
#include "threads.h"

void rsan_policy_init(struct rsan_policy *p, const struct rsan_policy_options *options);

// A thread is new, or has handed in an operation.
void rsan_policy_new_thread(struct rsan_policy *p, struct rsan_threads *t, uint32_t id);
void rsan_policy_handed_in(struct rsan_policy *p, struct rsan_threads *t, uint32_t id);

// One of the threads that can proceed, of which there is one. `last` made the step before
// (RSAN_NO_THREAD: none did). The thread makes its step now.
uint32_t rsan_policy_next(struct rsan_policy *p, struct rsan_threads *t, uint32_t last);

// One of `count` candidates in chosen_from, count > 0: to be woken, or whose time is over.
uint32_t rsan_policy_pick(struct rsan_policy *p, struct rsan_threads *t, uint32_t count);

#endif
