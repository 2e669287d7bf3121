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

void rsan_dpor_backtrack(struct rsan_dpor *d, struct rsan_dpor_node *node, uint64_t threads) {
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
