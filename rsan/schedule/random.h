// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random walk (policy.h).

#ifndef RSAN_SCHEDULE_RANDOM_H
#define RSAN_SCHEDULE_RANDOM_H

#include "policy_state.h"
#include "threads.h"

uint32_t rsan_random_next(struct rsan_policy *p, const struct rsan_threads *t, uint32_t last);

#endif
