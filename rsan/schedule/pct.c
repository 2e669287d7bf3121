// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "pct.h"

#include "../host.h"
#include "highest.h"

#define FIRST_WINDOW 256

// The change points of the steps from `begin` + 1 to the end of the window. The i-th gives the
// priority base + i, so that the threads that are changed have a random order among themselves.
static void draw_changes(struct rsan_policy *p, uint64_t begin) {
  struct rsan_pct *pct = &p->pct;
  uint32_t changes = p->options.depth - 1;
  for (uint32_t i = 0; i < changes; i++)
    pct->change[i] = begin + 1 + rsan_draw_below(&p->draw, pct->window - begin);
  p->lowest -= changes;
  pct->base = p->lowest;
}

void rsan_pct_init(struct rsan_policy *p) {
  p->pct.window = p->options.length ? p->options.length : FIRST_WINDOW;
  draw_changes(p, 0);
}

// Above 0: priorities of threads that were not changed.
void rsan_pct_new_thread(struct rsan_policy *p, struct rsan_threads *t, uint32_t id) {
  t->thread[id].priority = (int64_t)(rsan_draw(&p->draw) >> 2) + 1;
}

void rsan_pct_handed_in(struct rsan_policy *p, struct rsan_threads *t, uint32_t id) {
  if (rsan_pending_yields(&t->thread[id].pending))
    t->thread[id].priority = --p->lowest;
}

static uint32_t after_changes(struct rsan_policy *p, struct rsan_threads *t, uint32_t next) {
  for (uint32_t i = 0; i + 1 < p->options.depth; i++)
    if (p->pct.change[i] == p->steps) {
      t->thread[next].priority = p->pct.base + i;
      next = rsan_highest(t, t->ready, t->ready_count);
    }
  return next;
}

uint32_t rsan_pct_next(struct rsan_policy *p, struct rsan_threads *t) {
  struct rsan_pct *pct = &p->pct;
  if (p->steps > pct->window && !p->options.length) {
    uint64_t begin = pct->window;
    pct->window *= 2;
    draw_changes(p, begin);
  }
  return after_changes(p, t, rsan_highest(t, t->ready, t->ready_count));
}
