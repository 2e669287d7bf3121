// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Probabilistic concurrency testing: Burckhardt, Kothari, Musuvathi, Nagarakatte, 'A randomized
// scheduler with probabilistic guarantees of finding bugs' (ASPLOS 2010). With n threads and k
// steps, an error that d orders of operations bring about is met with a probability of at least
// 1 / (n k^(d-1)).
//
// One thing is added. A thread that yields goes below all that were given a priority before, the
// change points' as well: else a thread that waits by yielding runs for ever while the awaited
// thread has a lower priority.
//
// Where the number of steps is not known there are `depth` - 1 change points in each of the windows
// of 256, 256, 512, 1,024 ... steps. Then a run has more changes than it was asked for.

#ifndef RSAN_SCHEDULE_PCT_H
#define RSAN_SCHEDULE_PCT_H

#include "policy_state.h"
#include "threads.h"

void rsan_pct_init(struct rsan_policy *p);
void rsan_pct_new_thread(struct rsan_policy *p, struct rsan_threads *t, uint32_t id);
void rsan_pct_handed_in(struct rsan_policy *p, struct rsan_threads *t, uint32_t id);
uint32_t rsan_pct_next(struct rsan_policy *p, struct rsan_threads *t);

#endif
