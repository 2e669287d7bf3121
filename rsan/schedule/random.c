// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "random.h"

#include "../host.h"

uint32_t rsan_random_next(struct rsan_policy *p, const struct rsan_threads *t, uint32_t last) {
  bool goes_on = last != RSAN_NO_THREAD && rsan_threads_is_ready(t, last) &&
                 !rsan_pending_yields(&t->thread[last].pending) &&
                 rsan_draw_below(&p->draw, 100) >= p->options.switch_percent;
  return goes_on ? last : t->ready[rsan_draw_below(&p->draw, t->ready_count)];
}
