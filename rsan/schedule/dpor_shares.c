// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dpor_shares.h"

#include "../host.h"
#include "dpor.h"
#include "nodes.h"

// -- cut --

// (Before the first run nothing is known that could be cut.)
static bool can_give(const struct rsan_dpor_node *node) {
  return !node->asked && node->known && rsan_dpor_has_work(node);
}

// Prefixes are dealt in the order in which their nodes were met, so that each part has some from
// which much follows.
uint32_t rsan_dpor_cut(struct rsan_dpor *d, uint32_t parts) {
  uint32_t number = 0, given = 0;
  for (struct rsan_dpor_node *node = d->oldest; node; node = node->newer) {
    node->origin = number++;
    node->part = 0;
    if (!can_give(node))
      continue;
    rsan_dpor_ask(d, node);
    node->part = 1 + given++ % parts;
  }
  return given < parts ? given : parts;
}

void rsan_dpor_make_whole(struct rsan_dpor *d) {
  for (struct rsan_dpor_node *node = d->oldest; node; node = node->newer) {
    if (node->part)
      rsan_dpor_withdraw(d, node);
    node->part = node->origin = 0;
  }
}

// -- joined --

void rsan_dpor_begin_joining(struct rsan_dpor *d, struct rsan_dpor_cut_nodes *nodes) {
  uint32_t count = 0;
  for (struct rsan_dpor_node *node = d->oldest; node; node = node->newer)
    count++;
  nodes->node = rsan_host_alloc((count + 1) * sizeof *nodes->node);
  nodes->count = 0;
  for (struct rsan_dpor_node *node = d->oldest; node; node = node->newer)
    nodes->node[nodes->count++] = node;
}

static const struct rsan_dpor_sleeper *newest_sleeper(const struct rsan_dpor_node *node) {
  return &node->sleep.sleeper[node->sleep.count - 1];
}

// Is the prefix that the part has begun one that is still to be begun here?
static bool is_begun_there_alone(const struct rsan_dpor_node *here,
                                 const struct rsan_dpor_node *there) {
  if (here->asked || !here->known || here->choices != there->choices)
    return false;
  if (here->choices)
    return there->chosen == here->chosen + 1;
  return rsan_dpor_left_at(here) >> there->thread & 1 && there->sleep.count &&
         newest_sleeper(there)->thread == there->thread;
}

static bool part_fits(const struct rsan_dpor_cut_nodes *nodes, const struct rsan_dpor_node *there) {
  const struct rsan_dpor_node *parent = there->parent;
  if (there->owner == RSAN_DPOR_OWN)
    return parent && (parent->owner == RSAN_DPOR_OWN || parent->owner == RSAN_DPOR_BEGUN);
  if (there->origin >= nodes->count)
    return false;
  const struct rsan_dpor_node *here = nodes->node[there->origin];
  const struct rsan_dpor_node *above =
      parent && parent->origin < nodes->count ? nodes->node[parent->origin] : 0;
  return (!parent || parent->owner != RSAN_DPOR_OWN) && here->parent == above &&
         here->depth == there->depth && here->by.thread == there->by.thread &&
         here->by.choice == there->by.choice &&
         (there->owner != RSAN_DPOR_BEGUN || is_begun_there_alone(here, there));
}

static void begin_here(struct rsan_dpor_node *here, const struct rsan_dpor_node *there) {
  if (here->choices)
    here->chosen++;
  else
    rsan_sleep_add(&here->sleep, there->thread, &newest_sleeper(there)->op);
}

static struct rsan_dpor_node *take_over(struct rsan_dpor *d, struct rsan_dpor_node *parent,
                                        const struct rsan_dpor_node *there) {
  struct rsan_dpor_node *node = rsan_dpor_new_node(d, parent);
  node->by = there->by;
  node->preemptions = there->preemptions;
  node->enabled = there->enabled;
  node->backtrack = there->backtrack;
  node->cut = there->cut;
  node->choices = there->choices;
  node->chosen = there->chosen;
  node->known = there->known;
  node->thread = there->thread;
  rsan_sleep_copy(&node->sleep, &there->sleep);
  return node;
}

static void add_counts(struct rsan_dpor *d, const struct rsan_dpor *part) {
  d->executions += part->executions;
  d->asleep += part->asleep;
  d->cut += part->cut;
  d->diverged += part->diverged;
  d->races += part->races;
  d->unmatched += part->unmatched;
}

// The nodes here that those of the part are, by their places in its list.
static struct rsan_dpor_node **take_nodes(struct rsan_dpor *d,
                                          const struct rsan_dpor_cut_nodes *nodes,
                                          const struct rsan_dpor *part) {
  uint32_t count = 0;
  for (struct rsan_dpor_node *there = part->oldest; there; there = there->newer)
    there->number = count++;
  struct rsan_dpor_node **here = rsan_host_alloc((count + 1) * sizeof *here);
  for (const struct rsan_dpor_node *there = part->oldest; there; there = there->newer) {
    if (there->owner == RSAN_DPOR_OWN) {
      here[there->number] = take_over(d, here[there->parent->number], there);
      continue;
    }
    here[there->number] = nodes->node[there->origin];
    if (there->owner == RSAN_DPOR_BEGUN)
      begin_here(here[there->number], there);
  }
  return here;
}

bool rsan_dpor_join(struct rsan_dpor *d, const struct rsan_dpor_cut_nodes *nodes,
                    const struct rsan_dpor *part) {
  if (d->bound != part->bound)
    return false;
  for (const struct rsan_dpor_node *there = part->oldest; there; there = there->newer)
    if (!part_fits(nodes, there))
      return false;
  struct rsan_dpor_node **here = take_nodes(d, nodes, part);
  for (uint32_t i = 0; i < part->needs; i++) {
    const struct rsan_dpor_need *need = &part->need[i];
    rsan_dpor_demand(d, here[need->node->number], need->initial, need->own);
  }
  add_counts(d, part);
  rsan_host_free(here);
  return true;
}

// Nodes at which nothing is left, and nothing below them, are removed.
void rsan_dpor_end_joining(struct rsan_dpor *d, struct rsan_dpor_cut_nodes *nodes) {
  for (struct rsan_dpor_node *node = d->newest, *older; node; node = older) {
    older = node->older;
    if (node->below || node->asked || rsan_dpor_has_work(node))
      continue;
    if (node->parent)
      node->parent->below--;
    rsan_dpor_remove_node(d, node);
  }
  rsan_host_free(nodes->node);
  *nodes = (struct rsan_dpor_cut_nodes){0};
}
