// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of checks, from the definitions of T_c, T_SC, T_val and their ^R
// forms. In a run, edges go forward, so the relations of the whole run
// restricted to a prefix are the prefix's relations: they are derived once.
#include "oracle.h"

#include <stdlib.h>
#include <string.h>

// What precedes the start of e: the nodes that are po- or sync-before e, and
// what is before those. (An access's only incoming sync edge is its thread's
// creation; a plain po step would miss it.)
static void derive_before(struct oracle *oracle, const struct relation *order,
                          struct relation *out) {
  struct relation *step = &oracle->scratch[0], *all = &oracle->scratch[1];
  relation_copy(step, order);
  relation_add_identity(step);
  relation_copy(out, &oracle->relations.po);
  relation_unite(out, &oracle->relations.sync);
  relation_compose(all, step, out);
  relation_inverse(out, all);
}

bool oracle_derive(struct oracle *oracle, const struct trace *trace) {
  oracle->trace = trace;
  oracle->flags.count = 0;
  oracle->races.count = 0;
  if (!graph_from_trace(trace, &oracle->graph))
    return false;
  graph_derive(&oracle->graph, &oracle->relations);
  derive_before(oracle, &oracle->relations.hb, &oracle->before_hb);
  derive_before(oracle, &oracle->relations.hbsc, &oracle->before_sc);
  return true;
}

static const struct graph_list *versions(const struct oracle *oracle, uint32_t node) {
  return &oracle->graph.mo[oracle->graph.nodes[node].location];
}

// Value and writer's kind of a version; 0 is the initial one.
static uint64_t version_value(const struct oracle *oracle, const struct graph_list *mo,
                              size_t version) {
  return version ? oracle->graph.nodes[mo->at[version - 1]].value : 0;
}

static bool version_plain(const struct oracle *oracle, const struct graph_list *mo,
                          size_t version) {
  return oracle->graph.nodes[mo->at[version - 1]].kind == GRAPH_WRITE;
}

static int64_t plain_up_to(const struct oracle *oracle, uint32_t node, int64_t version) {
  const struct graph_list *mo = versions(oracle, node);
  int64_t count = 0;
  for (int64_t t = 1; t <= version; t++)
    count += version_plain(oracle, mo, (size_t)t);
  return count;
}

static int64_t max64(int64_t a, int64_t b) {
  return a > b ? a : b;
}

// T_c: the newest version that, or a read of which, is before by hb.
static int64_t known_by_hb(const struct oracle *oracle, uint32_t node) {
  uint32_t location = oracle->graph.nodes[node].location;
  int64_t newest = 0;
  for (uint32_t e = 0; e < node; e++) {
    const struct graph_node *other = &oracle->graph.nodes[e];
    if (!graph_reads(other->kind) && !graph_writes(other->kind))
      continue;
    if (other->location != location || !relation_has(&oracle->before_hb, node, e))
      continue;
    if (graph_writes(other->kind))
      newest = max64(newest, (int64_t)graph_position(&oracle->graph, e));
    else
      newest = max64(newest, (int64_t)graph_read_position(&oracle->graph, e));
  }
  return newest;
}

// T_SC: the newest version before by hbSC. (A read brings the version it
// reads along: rf is part of hbSC.)
static int64_t known_by_sc(const struct oracle *oracle, uint32_t node) {
  const struct graph_list *mo = versions(oracle, node);
  int64_t newest = 0;
  for (size_t t = 1; t <= mo->count; t++)
    if (relation_has(&oracle->before_sc, node, mo->at[t - 1]))
      newest = (int64_t)t;
  return newest;
}

struct oracle_view oracle_view(const struct oracle *oracle, uint32_t node) {
  struct oracle_view view;
  view.tc = known_by_hb(oracle, node);
  view.tsc = known_by_sc(oracle, node);
  view.tc_plain = plain_up_to(oracle, node, view.tc);
  view.tsc_plain = plain_up_to(oracle, node, view.tsc);
  return view;
}

int64_t oracle_newest_overwritten(const struct oracle *oracle, uint32_t node, uint64_t value,
                                  bool other) {
  const struct graph_list *mo = versions(oracle, node);
  int64_t visible = known_by_sc(oracle, node), newest = -1;
  for (int64_t t = 0; t < visible; t++)
    if ((version_value(oracle, mo, (size_t)t) != value) == other)
      newest = t;
  return newest;
}

int64_t oracle_newest_plainly_overwritten(const struct oracle *oracle, uint32_t node,
                                          uint64_t value) {
  const struct graph_list *mo = versions(oracle, node);
  int64_t visible = known_by_sc(oracle, node), newest = -1;
  for (int64_t t = 0; t < visible; t++)
    if (version_value(oracle, mo, (size_t)t) == value && version_plain(oracle, mo, (size_t)t + 1))
      newest = plain_up_to(oracle, node, t);
  return newest;
}

bool oracle_check(const struct oracle *oracle, uint32_t node, enum trace_op op, uint64_t v) {
  struct oracle_view view = oracle_view(oracle, node);
  switch (op) {
  case TRACE_LOAD:
  case TRACE_WEAK_CAS:
    return view.tc < view.tsc;
  case TRACE_STORE:
  case TRACE_FETCH_OP:
  case TRACE_EXCHANGE:
    return view.tc_plain < view.tsc_plain;
  case TRACE_WAIT:
  case TRACE_WAIT_BLOCKED:
    return view.tc <= oracle_newest_overwritten(oracle, node, v, false);
  case TRACE_BCAS:
  case TRACE_BCAS_BLOCKED:
    return view.tc_plain <= oracle_newest_plainly_overwritten(oracle, node, v);
  case TRACE_STRONG_CAS:
    return view.tc_plain <= oracle_newest_plainly_overwritten(oracle, node, v) ||
           view.tc <= oracle_newest_overwritten(oracle, node, v, true);
  default:
    return false;
  }
}

static bool check(const struct oracle *oracle, uint32_t node) {
  const struct trace_event *event = &oracle->trace->events[oracle->graph.nodes[node].event];
  return oracle_check(oracle, node, event->op, event->expected);
}

// The node that carries the event's check: not the fence before an SC access.
static bool has_check(const struct oracle *oracle, uint32_t node) {
  const struct graph_node *n = &oracle->graph.nodes[node];
  return n->kind != GRAPH_FENCE && trace_op_is_checked(oracle->trace->events[n->event].op);
}

static bool races(const struct oracle *oracle, uint32_t node) {
  const struct graph_node *n = &oracle->graph.nodes[node];
  for (uint32_t e = 0; e < node; e++) {
    const struct graph_node *other = &oracle->graph.nodes[e];
    bool conflict = (other->kind == GRAPH_PLAIN_WRITE ||
                     (other->kind == GRAPH_PLAIN_READ && n->kind == GRAPH_PLAIN_WRITE)) &&
                    other->location == n->location;
    if (conflict && !relation_has(&oracle->relations.hb, e, node))
      return true;
  }
  return false;
}

bool oracle_run(struct oracle *oracle, const struct trace *trace) {
  if (!oracle_derive(oracle, trace))
    return false;
  for (uint32_t e = 0; e < oracle->graph.count; e++) {
    const struct graph_node *node = &oracle->graph.nodes[e];
    if (node->kind == GRAPH_PLAIN_READ || node->kind == GRAPH_PLAIN_WRITE) {
      if (races(oracle, e))
        trace_indices_append(&oracle->races, node->event);
    } else if (has_check(oracle, e) && check(oracle, e)) {
      trace_indices_append(&oracle->flags, node->event);
    }
  }
  return true;
}

bool oracle_last_flags(struct oracle *oracle, const struct trace *trace) {
  if (!oracle_derive(oracle, trace) || !oracle->graph.count)
    return false;
  uint32_t last = (uint32_t)oracle->graph.count - 1;
  return has_check(oracle, last) && check(oracle, last);
}

void oracle_free(struct oracle *oracle) {
  graph_free(&oracle->graph);
  graph_relations_free(&oracle->relations);
  relation_free(&oracle->before_hb);
  relation_free(&oracle->before_sc);
  relation_free(&oracle->scratch[0]);
  relation_free(&oracle->scratch[1]);
  free(oracle->flags.at);
  free(oracle->races.at);
  memset(oracle, 0, sizeof *oracle);
}
