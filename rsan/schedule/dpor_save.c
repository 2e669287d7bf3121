// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dpor_save.h"

#include "../host.h"
#include "dpor.h"
#include "nodes.h"

#define NOBODY UINT32_MAX // the parent of the first node

struct head {
  uint64_t layout;
  uint32_t bound, nodes, needs, reserved;
  uint64_t executions, asleep, cut, diverged, races, unmatched;
};

struct saved_node {
  struct rsan_dpor_step by;
  uint64_t enabled, backtrack, cut;
  uint32_t parent, preemptions, choices, chosen, sleepers, thread, origin;
  bool known;
  uint8_t owner;
};

struct saved_need {
  uint64_t initial, own;
  uint32_t node, reserved;
};

static uint64_t layout(void) {
  return sizeof(struct head) << 32 | sizeof(struct saved_node) << 16 |
         sizeof(struct rsan_dpor_sleeper);
}

static void save_node(const struct rsan_dpor_node *node, uint8_t owner, uint32_t chosen,
                      rsan_dpor_put put, void *context) {
  struct saved_node saved;
  rsan_host_memset(&saved, 0, sizeof saved);
  saved.by = node->by;
  saved.enabled = node->enabled;
  saved.backtrack = node->backtrack;
  saved.cut = node->cut;
  saved.parent = node->parent ? node->parent->number : NOBODY;
  saved.preemptions = node->preemptions;
  saved.choices = node->choices;
  saved.chosen = chosen;
  saved.sleepers = node->sleep.count;
  saved.thread = node->thread;
  saved.origin = node->origin;
  saved.known = node->known;
  saved.owner = owner;
  put(context, &saved, sizeof saved);
  put(context, node->sleep.sleeper, node->sleep.count * sizeof *node->sleep.sleeper);
}

void rsan_dpor_save(struct rsan_dpor *d, rsan_dpor_put put, void *context) {
  struct head head;
  rsan_host_memset(&head, 0, sizeof head);
  for (struct rsan_dpor_node *node = d->oldest; node; node = node->newer)
    node->number = head.nodes++;
  head.layout = layout();
  head.needs = d->needs;
  head.bound = d->bound;
  head.executions = d->executions;
  head.asleep = d->asleep;
  head.cut = d->cut;
  head.diverged = d->diverged;
  head.races = d->races;
  head.unmatched = d->unmatched;
  put(context, &head, sizeof head);
  for (const struct rsan_dpor_node *node = d->oldest; node; node = node->newer)
    save_node(node, node->owner,
              node->chosen - (node->asked && node->choices && node->owner == RSAN_DPOR_OWN), put,
              context);
  for (uint32_t i = 0; i < d->needs; i++) {
    const struct rsan_dpor_need *need = &d->need[i];
    const struct saved_need saved = {need->initial, need->own, need->node->number, 0};
    put(context, &saved, sizeof saved);
  }
}

void rsan_dpor_save_part(struct rsan_dpor *d, uint32_t part, rsan_dpor_put put, void *context) {
  struct head head;
  rsan_host_memset(&head, 0, sizeof head);
  for (struct rsan_dpor_node *node = d->oldest; node; node = node->newer)
    node->number = NOBODY;
  for (struct rsan_dpor_node *node = d->newest; node; node = node->older)
    if (node->part == part)
      for (struct rsan_dpor_node *at = node; at && at->number == NOBODY; at = at->parent)
        at->number = 0;
  for (struct rsan_dpor_node *node = d->oldest; node; node = node->newer)
    if (node->number != NOBODY)
      node->number = head.nodes++;
  head.layout = layout();
  head.bound = d->bound;
  put(context, &head, sizeof head);
  for (const struct rsan_dpor_node *node = d->oldest; node; node = node->newer)
    if (node->number != NOBODY)
      save_node(node, node->part == part ? RSAN_DPOR_WANTED : RSAN_DPOR_OTHERS, node->chosen, put,
                context);
}

// Reads the bool as a byte, because a forged file may have a value that is undefined for a bool.
static bool is_bool(const bool *flag) {
  return *(const uint8_t *)flag <= 1;
}

static bool op_makes_sense(const struct rsan_op *op) {
  return op->kind < RSAN_KIND_COUNT && op->bytes <= 16 && op->until.relation < RSAN_RELATIONS &&
         op->until.size <= 16 && is_bool(&op->until.alone) && is_bool(&op->unknown) &&
         is_bool(&op->departs) && is_bool(&op->departs_in_s) && is_bool(&op->writes) &&
         is_bool(&op->leaves) && is_bool(&op->blocks) && is_bool(&op->ends) &&
         is_bool(&op->commutes);
}

bool rsan_dpor_step_makes_sense(const struct rsan_dpor_step *step) {
  return step->thread < RSAN_DPOR_THREADS && op_makes_sense(&step->op);
}

static bool makes_sense(const struct saved_node *saved, uint32_t number) {
  bool first = saved->parent == NOBODY;
  return first == (number == 0) && (first || saved->parent < number) &&
         rsan_dpor_step_makes_sense(&saved->by) && saved->thread < RSAN_DPOR_THREADS &&
         saved->chosen <= saved->choices && saved->sleepers <= RSAN_DPOR_THREADS &&
         saved->owner <= RSAN_DPOR_BEGUN && is_bool(&saved->known);
}

// The caller's functions that restore an exploration.
struct reader {
  rsan_dpor_get get;
  rsan_dpor_move move;
  void *context;
};

static void move_op(const struct reader *r, struct rsan_op *op) {
  op->object = r->move(r->context, op->object);
  op->also = r->move(r->context, op->also);
}

static bool restore_sleep(const struct reader *r, struct rsan_dpor_sleep *sleep, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    struct rsan_dpor_sleeper sleeper;
    if (!r->get(r->context, &sleeper, sizeof sleeper) || sleeper.thread >= RSAN_DPOR_THREADS ||
        !op_makes_sense(&sleeper.op))
      return false;
    move_op(r, &sleeper.op);
    rsan_sleep_add(sleep, sleeper.thread, &sleeper.op);
  }
  return true;
}

// node[0 .. number - 1] are there already.
static bool restore_node(const struct reader *r, struct rsan_dpor *d, struct rsan_dpor_node **node,
                         uint32_t number) {
  struct saved_node saved;
  if (!r->get(r->context, &saved, sizeof saved) || !makes_sense(&saved, number))
    return false;
  struct rsan_dpor_node *its =
      rsan_dpor_new_node(d, saved.parent == NOBODY ? NULL : node[saved.parent]);
  node[number] = its;
  its->by = saved.by;
  move_op(r, &its->by.op);
  its->enabled = saved.enabled;
  its->backtrack = saved.backtrack;
  its->cut = saved.cut;
  its->preemptions = saved.preemptions;
  its->choices = saved.choices;
  its->chosen = saved.chosen;
  its->thread = saved.thread;
  its->origin = saved.origin;
  its->known = saved.known;
  its->owner = saved.owner;
  return its->depth < RSAN_DPOR_STEPS && restore_sleep(r, &its->sleep, saved.sleepers);
}

static bool restore_need(const struct reader *r, struct rsan_dpor *d, struct rsan_dpor_node **node,
                         uint32_t nodes) {
  struct saved_need saved;
  if (!r->get(r->context, &saved, sizeof saved) || saved.node >= nodes ||
      node[saved.node]->owner == RSAN_DPOR_OWN)
    return false;
  d->need = rsan_make_room(d->need, &d->need_room, d->needs, sizeof *d->need);
  d->need[d->needs++] = (struct rsan_dpor_need){node[saved.node], saved.initial, saved.own};
  return true;
}

bool rsan_dpor_restore(struct rsan_dpor *d, rsan_dpor_get get, rsan_dpor_move move, void *context) {
  const struct reader reader = {get, move, context};
  struct head head;
  if (!get(context, &head, sizeof head) || head.layout != layout())
    return false;
  *d = (struct rsan_dpor){.bound = head.bound,
                          .executions = head.executions,
                          .asleep = head.asleep,
                          .cut = head.cut,
                          .diverged = head.diverged,
                          .races = head.races,
                          .unmatched = head.unmatched};
  struct rsan_dpor_node **node = NULL;
  uint32_t room = 0;
  bool good = true;
  for (uint32_t i = 0; good && i < head.nodes; i++) {
    node = rsan_make_room(node, &room, i, sizeof *node);
    good = restore_node(&reader, d, node, i);
  }
  for (uint32_t i = 0; good && i < head.needs; i++)
    good = restore_need(&reader, d, node, head.nodes);
  rsan_host_free(node);
  if (!good)
    rsan_dpor_clear(d);
  return good;
}
