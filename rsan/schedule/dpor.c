// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dpor.h"

#include "../host.h"
#include "nodes.h"
#include "races.h"
#include "threads.h"

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

// Removes the node, and those that lead to it, if nothing is left at them or below them.
static void retire(struct rsan_dpor *d, struct rsan_dpor_node *node) {
  while (node && node->owner == RSAN_DPOR_OWN && !node->below && !node->asked &&
         !rsan_dpor_has_work(node)) {
    struct rsan_dpor_node *parent = node->parent;
    if (parent)
      parent->below--;
    rsan_dpor_remove_node(d, node);
    node = parent;
  }
}

void rsan_dpor_init(struct rsan_dpor *d, uint32_t preemptions) {
  *d = (struct rsan_dpor){.bound = preemptions};
  rsan_dpor_new_node(d, NULL);
}

static void free_nodes(struct rsan_dpor_node *node) {
  while (node) {
    struct rsan_dpor_node *newer = node->newer;
    rsan_sleep_clear(&node->sleep);
    rsan_host_free(node);
    node = newer;
  }
}

void rsan_dpor_clear(struct rsan_dpor *d) {
  free_nodes(d->oldest);
  free_nodes(d->spare);
  rsan_host_free(d->path);
  rsan_host_free(d->clock);
  rsan_host_free(d->place);
  rsan_host_free(d->need);
  *d = (struct rsan_dpor){0};
}

// -- what is asked for --

// The deepest one, so that few nodes have something left at the same time.
struct rsan_dpor_node *rsan_dpor_next(struct rsan_dpor *d) {
  struct rsan_dpor_node *deepest = NULL;
  for (struct rsan_dpor_node *node = d->newest; node; node = node->older)
    if (!node->asked && rsan_dpor_has_work(node) && (!deepest || node->depth > deepest->depth))
      deepest = node;
  if (deepest)
    rsan_dpor_ask(d, deepest);
  return deepest;
}

// How many steps from the node are left to be explored, and are there in all.
static uint32_t count_left(const struct rsan_dpor_node *node) {
  if (node->owner != RSAN_DPOR_OWN)
    return node->owner == RSAN_DPOR_WANTED;
  if (node->choices)
    return node->choices - node->chosen + node->asked;
  return node->known ? (uint32_t)__builtin_popcountll(rsan_dpor_left_at(node)) : 1;
}

static uint32_t count_all(const struct rsan_dpor_node *node) {
  uint32_t count =
      node->choices ? node->choices : (uint32_t)__builtin_popcountll(node->backtrack & ~node->cut);
  return count ? count : 1;
}

struct rsan_dpor_left rsan_dpor_left(struct rsan_dpor *d) {
  static const uint64_t whole = (uint64_t)1 << 62;
  struct rsan_dpor_left left = {0, 0};
  uint64_t share = 0;
  for (struct rsan_dpor_node *node = d->oldest; node; node = node->newer) {
    node->share = node->parent ? node->parent->share / count_all(node->parent) : whole;
    left.prefixes += count_left(node);
    share += node->share / count_all(node) * count_left(node);
  }
  left.share = (uint32_t)(share / (whole / 1000000));
  return left;
}

static struct rsan_dpor_step asked_step(const struct rsan_dpor_node *node) {
  return (struct rsan_dpor_step){.enabled = node->enabled,
                                 .thread = node->thread,
                                 .choices = node->choices,
                                 .choice = node->choices ? node->chosen - 1 : 0};
}

uint32_t rsan_dpor_prefix(const struct rsan_dpor_node *node, struct rsan_dpor_step *step) {
  if (!node->known)
    return 0;
  uint32_t count = node->depth + 1;
  if (!step)
    return count;
  step[node->depth] = asked_step(node);
  for (const struct rsan_dpor_node *at = node; at->parent; at = at->parent)
    step[at->depth - 1] = at->by;
  return count;
}

static void no_longer_asked(struct rsan_dpor *d, struct rsan_dpor_node *node) {
  node->asked = false;
  d->asked--;
}

void rsan_dpor_withdraw(struct rsan_dpor *d, struct rsan_dpor_node *node) {
  if (node->owner == RSAN_DPOR_OWN)
    node->chosen -= node->choices != 0;
  no_longer_asked(d, node);
}

// -- what comes back --

static bool same_step(const struct rsan_dpor_step *a, const struct rsan_dpor_step *b) {
  return a->thread == b->thread && a->choices == b->choices && a->choice == b->choice &&
         a->op.kind == b->op.kind && a->op.object == b->op.object && a->op.point == b->op.point;
}

static bool followed(const struct rsan_dpor_node *node, const struct rsan_dpor_trace *trace) {
  if (!node->known)
    return true;
  if (trace->count <= node->depth)
    return false;
  for (const struct rsan_dpor_node *at = node; at->parent; at = at->parent)
    if (!same_step(&at->by, &trace->step[at->depth - 1]))
      return false;
  const struct rsan_dpor_step *last = &trace->step[node->depth], asked = asked_step(node);
  return last->thread == asked.thread && last->choices == asked.choices &&
         last->choice == asked.choice && last->enabled == asked.enabled;
}

// The run makes its step there.
static void meet(struct rsan_dpor_node *node, const struct rsan_dpor_step *step) {
  node->known = true;
  node->enabled = step->enabled;
  node->thread = step->thread;
  node->choices = step->choices;
  node->chosen = step->choices ? step->choice + 1 : 0;
  node->backtrack = step->choices ? 0 : bit(step->thread);
}

// The node behind the newest one of the path.
static struct rsan_dpor_node *add_node(struct rsan_dpor *d, struct rsan_dpor_node *parent,
                                       const struct rsan_dpor_step *by,
                                       const struct rsan_dpor_step *step) {
  struct rsan_dpor_node *node = rsan_dpor_new_node(d, parent);
  node->by = *by;
  node->preemptions =
      parent->preemptions + (!by->choices && rsan_dpor_preempts(parent, by->thread));
  rsan_sleep_copy(&node->sleep, &parent->sleep);
  rsan_sleep_step(&node->sleep, by);
  meet(node, step);
  return node;
}

static void make_room_for_path(struct rsan_dpor *d, uint32_t count) {
  if (count < d->room)
    return;
  while (d->room <= count)
    d->room = d->room ? d->room * 2 : 64;
  rsan_host_free(d->path);
  d->path = rsan_host_alloc(d->room * sizeof *d->path);
}

// The states of the run, by step; those that no run has been at yet are added.
static void add_nodes_of(struct rsan_dpor *d, struct rsan_dpor_node *node,
                         const struct rsan_dpor_trace *trace) {
  make_room_for_path(d, trace->count);
  uint32_t i = node->depth;
  for (struct rsan_dpor_node *at = node; at; at = at->parent)
    d->path[at->depth] = at;
  for (; i + 1 < trace->count; i++)
    d->path[i + 1] = add_node(d, d->path[i], &trace->step[i], &trace->step[i + 1]);
}

// What was explored at a node sleeps in what will be explored there later.
static void sleeps_from_now(struct rsan_dpor_node *node, const struct rsan_dpor_step *step) {
  if (!node->choices)
    rsan_sleep_add(&node->sleep, node->thread, &step->op);
}

bool rsan_dpor_executed(struct rsan_dpor *d, struct rsan_dpor_node *node,
                        const struct rsan_dpor_trace *trace) {
  static const struct rsan_dpor_step unknown;
  bool follows = followed(node, trace);
  d->executions++;
  no_longer_asked(d, node);
  if (node->owner != RSAN_DPOR_OWN)
    node->owner = RSAN_DPOR_BEGUN;
  if (!follows || !trace->count) {
    d->diverged += !follows;
    node->known = true;
    sleeps_from_now(node, &unknown);
    retire(d, node);
    return follows;
  }
  d->asleep += trace->end == RSAN_DPOR_ASLEEP;
  d->cut += trace->end == RSAN_DPOR_CUT;
  if (!node->known)
    meet(node, &trace->step[0]);
  add_nodes_of(d, node, trace);
  rsan_dpor_reverse(d, node->depth, trace);
  for (uint32_t i = node->depth; i < trace->count; i++)
    sleeps_from_now(d->path[i], &trace->step[i]);
  retire(d, d->path[trace->count - 1]);
  return true;
}
