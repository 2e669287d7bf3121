// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "pos.h"

#include "../host.h"
#include "highest.h"

void rsan_pos_handed_in(struct rsan_policy *p, struct rsan_threads *t, uint32_t id) {
  t->thread[id].priority = (int64_t)(rsan_draw(&p->draw) >> 1);
}

uint32_t rsan_pos_next(struct rsan_policy *p, struct rsan_threads *t) {
  uint32_t next = rsan_highest(t, t->ready, t->ready_count);
  const struct rsan_pending *done = &t->thread[next].pending;
  for (uint32_t i = 0; i < t->count; i++)
    if (i != next && t->thread[i].state == RSAN_THREAD_PENDING &&
        (rsan_pending_yields(done) || rsan_pending_depend(&t->thread[i].pending, done)))
      rsan_pos_handed_in(p, t, i);
  return next;
}
