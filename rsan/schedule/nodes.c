// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "nodes.h"

#include "../host.h"

struct rsan_dpor_node *rsan_dpor_new_node(struct rsan_dpor *d, struct rsan_dpor_node *parent) {
  struct rsan_dpor_node *node = d->spare;
  if (node)
    d->spare = node->newer;
  else
    node = RSAN_NEW(struct rsan_dpor_node);
  struct rsan_dpor_sleep sleep = node->sleep;
  *node = (struct rsan_dpor_node){.parent = parent, .older = d->newest};
  node->sleep.sleeper = sleep.sleeper;
  node->sleep.room = sleep.room;
  *(d->newest ? &d->newest->newer : &d->oldest) = node;
  d->newest = node;
  if (parent) {
    parent->below++;
    node->depth = parent->depth + 1;
  }
  return node;
}

void rsan_dpor_remove_node(struct rsan_dpor *d, struct rsan_dpor_node *node) {
  *(node->older ? &node->older->newer : &d->oldest) = node->newer;
  *(node->newer ? &node->newer->older : &d->newest) = node->older;
  node->newer = d->spare;
  d->spare = node;
}

bool rsan_dpor_preempts(const struct rsan_dpor_node *node, uint32_t thread) {
  const struct rsan_dpor_node *at = node;
  while (at->parent && at->by.choices)
    at = at->parent;
  uint8_t kind = at->by.op.kind;
  return at->parent && at->by.thread != thread && node->enabled >> at->by.thread & 1 &&
         kind != RSAN_KIND_YIELD && kind != RSAN_KIND_SLEEP;
}

// Adds the threads to those that are to be explored at the node. Those that the bound of
// preemptions forbids there are counted as cut.
static void backtrack(struct rsan_dpor *d, struct rsan_dpor_node *node, uint64_t threads) {
  threads &= ~node->backtrack;
  node->backtrack |= threads;
  for (uint64_t left = threads; left; left &= left - 1) {
    uint32_t thread = (uint32_t)__builtin_ctzll(left);
    if (node->preemptions + rsan_dpor_preempts(node, thread) <= d->bound)
      continue;
    node->cut |= (uint64_t)1 << thread;
    d->cut++;
  }
}

static void note_need(struct rsan_dpor *d, const struct rsan_dpor_need *need) {
  for (uint32_t i = 0; i < d->needs; i++)
    if (d->need[i].node == need->node && d->need[i].initial == need->initial &&
        d->need[i].own == need->own)
      return;
  d->need = rsan_make_room(d->need, &d->need_room, d->needs, sizeof *d->need);
  d->need[d->needs++] = *need;
}

void rsan_dpor_demand(struct rsan_dpor *d, struct rsan_dpor_node *node, uint64_t initial,
                      uint64_t own) {
  if (initial & (node->backtrack | node->sleep.set))
    return;
  if (node->owner != RSAN_DPOR_OWN) {
    // (Needs differ in the threads that can meet them, so each one is noted.)
    const struct rsan_dpor_need need = {node, initial, own};
    note_need(d, &need);
    return;
  }
  d->races++;
  initial &= node->enabled;
  if (!initial) {
    d->unmatched++;
    backtrack(d, node, node->enabled);
    return;
  }
  own &= initial;
  backtrack(d, node, own ? own : initial & (0 - initial));
}

uint64_t rsan_dpor_left_at(const struct rsan_dpor_node *node) {
  return node->backtrack & ~node->sleep.set & ~node->cut;
}

bool rsan_dpor_has_work(const struct rsan_dpor_node *node) {
  if (node->owner != RSAN_DPOR_OWN)
    return node->owner == RSAN_DPOR_WANTED;
  return !node->known || node->chosen < node->choices || rsan_dpor_left_at(node);
}

void rsan_dpor_ask(struct rsan_dpor *d, struct rsan_dpor_node *node) {
  if (node->owner == RSAN_DPOR_OWN) {
    if (!node->choices && node->known)
      node->thread = (uint32_t)__builtin_ctzll(rsan_dpor_left_at(node));
    node->chosen += node->choices != 0;
  }
  node->asked = true;
  d->asked++;
}
