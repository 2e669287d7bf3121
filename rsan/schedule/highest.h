// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The thread with the highest priority, of equal ones that with the lowest number.

#ifndef RSAN_SCHEDULE_HIGHEST_H
#define RSAN_SCHEDULE_HIGHEST_H

#include "threads.h"

static inline uint32_t rsan_highest(const struct rsan_threads *t, const uint32_t *from,
                                    uint32_t count) {
  uint32_t best = from[0];
  for (uint32_t i = 1; i < count; i++) {
    int64_t one = t->thread[from[i]].priority, other = t->thread[best].priority;
    if (one > other || (one == other && from[i] < best))
      best = from[i];
  }
  return best;
}

#endif
