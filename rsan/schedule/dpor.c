// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dpor.h"

#include "../host.h"
#include "races.h"
#include "threads.h"

#define FIRST_ROOM 64

static uint64_t bit(uint32_t thread) {
  return (uint64_t)1 << thread;
}

void rsan_sleep_add(struct rsan_dpor_sleep *s, uint32_t thread, const struct rsan_op *op) {
  s->sleeper = rsan_make_room(s->sleeper, &s->room, s->count, sizeof *s->sleeper);
  s->sleeper[s->count++] = (struct rsan_dpor_sleeper){*op, thread};
  s->set |= bit(thread);
}

void rsan_sleep_copy(struct rsan_dpor_sleep *to, const struct rsan_dpor_sleep *from) {
  to->count = 0;
  to->set = 0;
  for (uint32_t i = 0; i < from->count; i++)
    rsan_sleep_add(to, from->sleeper[i].thread, &from->sleeper[i].op);
}

void rsan_sleep_step(struct rsan_dpor_sleep *s, const struct rsan_dpor_step *step) {
  uint32_t kept = 0;
  s->set = 0;
  for (uint32_t i = 0; i < s->count; i++) {
    struct rsan_dpor_sleeper *sleeper = &s->sleeper[i];
    bool wakes = !step->choices &&
                 (sleeper->thread == step->thread || rsan_ops_depend(&sleeper->op, &step->op));
    if (wakes)
      continue;
    s->set |= bit(sleeper->thread);
    s->sleeper[kept++] = *sleeper;
  }
  s->count = kept;
}

void rsan_sleep_clear(struct rsan_dpor_sleep *s) {
  rsan_host_free(s->sleeper);
  *s = (struct rsan_dpor_sleep){0};
}

uint32_t rsan_dpor_choose(uint64_t enabled, uint64_t asleep, uint32_t last) {
  uint64_t awake = enabled & ~asleep;
  if (!awake)
    return RSAN_NO_THREAD;
  return last < RSAN_DPOR_THREADS && awake & bit(last) ? last : (uint32_t)__builtin_ctzll(awake);
}

void rsan_dpor_init(struct rsan_dpor *d, uint32_t preemptions) {
  *d = (struct rsan_dpor){.bound = preemptions};
}

void rsan_dpor_clear(struct rsan_dpor *d) {
  for (uint32_t i = 0; i < d->room; i++)
    rsan_sleep_clear(&d->node[i].sleep);
  rsan_host_free(d->node);
  rsan_host_free(d->clock);
  rsan_host_free(d->place);
  *d = (struct rsan_dpor){0};
}

// Preemptions of the run up to the thread's step at node i: switches from one that could go on.
static uint32_t preemptions(const struct rsan_dpor *d, uint32_t i, uint32_t thread) {
  while (i-- > 0) {
    const struct rsan_dpor_node *before = &d->node[i];
    const struct rsan_dpor_node *here = before + 1;
    if (before->step.choices)
      continue;
    while (here->step.choices)
      here++;
    uint32_t last = before->step.thread;
    bool yields =
        before->step.op.kind == RSAN_KIND_YIELD || before->step.op.kind == RSAN_KIND_SLEEP;
    return before->preemptions + (last != thread && here->step.enabled & bit(last) && !yields);
  }
  return 0;
}

// Another thread for the node; RSAN_NO_THREAD: there is none.
static uint32_t another(struct rsan_dpor *d, uint32_t i) {
  struct rsan_dpor_node *node = &d->node[i];
  for (uint64_t left = node->backtrack & ~node->sleep.set; left; left &= left - 1) {
    uint32_t thread = (uint32_t)__builtin_ctzll(left);
    if (preemptions(d, i, thread) <= d->bound)
      return thread;
    d->cut++;
  }
  return RSAN_NO_THREAD;
}

bool rsan_dpor_next(struct rsan_dpor *d) {
  if (!d->began) {
    d->began = true;
    return true;
  }
  for (; d->count; d->count--) {
    struct rsan_dpor_node *node = &d->node[d->count - 1];
    if (node->step.choices) {
      if (++node->step.choice < node->step.choices)
        return true;
      continue;
    }
    rsan_sleep_add(&node->sleep, node->step.thread, &node->step.op);
    uint32_t thread = another(d, d->count - 1);
    if (thread == RSAN_NO_THREAD)
      continue;
    node->step.thread = thread;
    node->step.op = (struct rsan_op){0};
    return true;
  }
  return false;
}

static void add_node(struct rsan_dpor *d, const struct rsan_dpor_step *step) {
  if (d->count == d->room) {
    uint32_t room = d->room ? d->room * 2 : FIRST_ROOM;
    d->node = rsan_enlarge_zeroed(d->node, d->room * sizeof *d->node, room * sizeof *d->node);
    d->room = room;
  }
  struct rsan_dpor_node *node = &d->node[d->count];
  node->step = *step;
  node->backtrack = bit(step->thread);
  node->sleep.count = 0;
  node->sleep.set = 0;
  if (d->count) {
    const struct rsan_dpor_node *before = &d->node[d->count - 1];
    rsan_sleep_copy(&node->sleep, &before->sleep);
    rsan_sleep_step(&node->sleep, &before->step);
  }
  node->preemptions = preemptions(d, d->count++, step->thread);
}

static bool same_step(const struct rsan_dpor_step *a, const struct rsan_dpor_step *b) {
  return a->thread == b->thread && a->choices == b->choices && a->choice == b->choice &&
         a->op.kind == b->op.kind && a->op.object == b->op.object && a->op.point == b->op.point;
}

static bool followed(const struct rsan_dpor *d, const struct rsan_dpor_trace *trace) {
  if (trace->count < d->count)
    return false;
  for (uint32_t i = 0; i + 1 < d->count; i++)
    if (!same_step(&d->node[i].step, &trace->step[i]))
      return false;
  if (!d->count)
    return true;
  const struct rsan_dpor_step *last = &trace->step[d->count - 1];
  const struct rsan_dpor_step *asked = &d->node[d->count - 1].step;
  return last->thread == asked->thread && last->choices == asked->choices &&
         last->choice == asked->choice && last->enabled == asked->enabled;
}

bool rsan_dpor_executed(struct rsan_dpor *d, const struct rsan_dpor_trace *trace) {
  d->executions++;
  if (!followed(d, trace)) {
    d->diverged++;
    return false;
  }
  d->asleep += trace->end == RSAN_DPOR_ASLEEP;
  d->cut += trace->end == RSAN_DPOR_CUT;
  uint32_t first = d->count ? d->count - 1 : 0;
  if (d->count) {
    struct rsan_dpor_node *last = &d->node[first];
    last->step = trace->step[first];
    last->preemptions = preemptions(d, first, last->step.thread);
  }
  while (d->count < trace->count)
    add_node(d, &trace->step[d->count]);
  rsan_dpor_reverse(d, first, trace);
  return true;
}
