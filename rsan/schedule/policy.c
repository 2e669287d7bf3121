// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "policy.h"

#include "../host.h"
#include "highest.h"
#include "pct.h"
#include "pos.h"
#include "random.h"

static const struct {
  uint8_t name, number; // switch_percent or depth
} mixed[] = {
    {RSAN_POLICY_RANDOM, 100}, {RSAN_POLICY_POS, 0},     {RSAN_POLICY_RANDOM, 30},
    {RSAN_POLICY_PCT, 3},      {RSAN_POLICY_RANDOM, 10}, {RSAN_POLICY_RANDOM, 3},
};

static uint32_t between(uint32_t value, uint32_t low, uint32_t high) {
  return value < low ? low : value > high ? high : value;
}

void rsan_policy_init(struct rsan_policy *p, const struct rsan_policy_options *options) {
  *p = (struct rsan_policy){.options = *options, .draw = {options->seed}};
  if (options->name == RSAN_POLICY_MIX) {
    uint32_t which = options->seed % (sizeof mixed / sizeof *mixed);
    p->options.name = mixed[which].name;
    p->options.switch_percent = p->options.depth = mixed[which].number;
  }
  p->options.switch_percent = between(p->options.switch_percent, 1, 100);
  p->options.depth = between(p->options.depth, 1, RSAN_PCT_MAX_DEPTH);
  if (p->options.name == RSAN_POLICY_PCT)
    rsan_pct_init(p);
}

void rsan_policy_new_thread(struct rsan_policy *p, struct rsan_threads *t, uint32_t id) {
  if (p->options.name == RSAN_POLICY_PCT)
    rsan_pct_new_thread(p, t, id);
  else if (p->options.name == RSAN_POLICY_POS)
    rsan_pos_handed_in(p, t, id);
}

void rsan_policy_handed_in(struct rsan_policy *p, struct rsan_threads *t, uint32_t id) {
  if (rsan_pending_yields(&t->thread[id].pending))
    t->thread[id].steps = 0;
  if (p->options.name == RSAN_POLICY_PCT)
    rsan_pct_handed_in(p, t, id);
  else if (p->options.name == RSAN_POLICY_POS)
    rsan_pos_handed_in(p, t, id);
}

// A thread that has made many steps since it gave way may wait in a loop that nobody has
// recognised, for one that is never chosen.
static void hurry(struct rsan_policy *p, struct rsan_scheduled *thread) {
  if (!p->options.patience || thread->steps < p->options.patience)
    return;
  thread->steps = 0;
  p->hurried++;
  thread->priority = --p->lowest;
}

uint32_t rsan_policy_next(struct rsan_policy *p, struct rsan_threads *t, uint32_t last) {
  p->steps++;
  if (p->options.name == RSAN_POLICY_RANDOM)
    return rsan_random_next(p, t, last);
  if (last != RSAN_NO_THREAD)
    hurry(p, &t->thread[last]);
  bool had_choice = t->ready_count > 1;
  uint32_t next = p->options.name == RSAN_POLICY_PCT ? rsan_pct_next(p, t) : rsan_pos_next(p, t);
  t->thread[next].steps += had_choice;
  return next;
}

uint32_t rsan_policy_pick(struct rsan_policy *p, struct rsan_threads *t, uint32_t count) {
  if (p->options.name == RSAN_POLICY_RANDOM)
    return t->chosen_from[rsan_draw_below(&p->draw, count)];
  return rsan_highest(t, t->chosen_from, count);
}
