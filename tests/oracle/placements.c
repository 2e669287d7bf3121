// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <string.h>

#include "enumerate.h"

static uint64_t version_value(const struct graph *graph, uint32_t location, size_t version) {
  if (version == 0)
    return 0;
  return graph->nodes[graph->mo[location].at[version - 1]].value;
}

static void place(const struct graph *graph, const struct trace_event *event, size_t version,
                  struct placement *out) {
  memset(out, 0, sizeof *out);
  out->event = *event;
  out->node.thread = event->thread;
  out->node.location = event->object;
  graph_node_set(&out->node, event);
  out->node.sc = out->node.sc && graph->seq_cst >= GRAPH_SC_CXX20;
  out->node.rf = version ? graph->mo[event->object].at[version - 1] : GRAPH_INITIAL;
  out->position = version + 1;
}

size_t placements_at(const struct graph *graph, const struct trace_event *op, size_t version,
                     struct placement out[2]) {
  struct trace_event event = *op;
  event.ok = false;
  event.read = event.op == TRACE_STORE ? 0 : version_value(graph, op->object, version);
  bool equal = event.read == event.expected;
  size_t count = 0;
  switch (event.op) {
  case TRACE_FETCH_OP:
    event.written += event.read;
    break;
  case TRACE_WAIT:
  case TRACE_BCAS:
    if (!equal)
      return 0;
    break;
  case TRACE_WEAK_CAS:
    place(graph, &event, version, &out[count++]);
    if (!equal)
      return count;
    event.ok = true;
    break;
  case TRACE_STRONG_CAS:
    event.ok = equal;
    break;
  default:
    break;
  }
  place(graph, &event, version, &out[count++]);
  return count;
}

// The run before event `index`, and then its thread at the access: a blocked
// arrival has po and creation edges and no other effect. The fence that an sc
// access may have is part of what comes before the check.
static void arrive(const struct trace *trace, size_t index, bool fence, struct trace *out) {
  const struct trace_event *event = &trace->events[index];
  trace_clear(out);
  out->threads = trace->threads;
  for (size_t i = 0; i < index; i++)
    trace_append(out, &trace->events[i]);
  bool cas = event->op == TRACE_WEAK_CAS || event->op == TRACE_STRONG_CAS;
  struct trace_event step = {.thread = event->thread, .order = TRACE_SC};
  step.op = TRACE_FENCE;
  if (fence && (event->order == TRACE_SC || (cas && event->failure == TRACE_SC)))
    trace_append(out, &step);
  step.op = TRACE_WAIT_BLOCKED;
  step.object = event->object;
  trace_append(out, &step);
}

static bool violate(const struct trace *trace, size_t index, enum graph_seq_cst seq_cst,
                    bool fences_unordered) {
  struct trace before = {0};
  struct graph graph = {.seq_cst = seq_cst, .fences_unordered = fences_unordered};
  struct graph_relations relations = {0};
  struct trace_event op = trace->events[index];
  arrive(trace, index, seq_cst == GRAPH_SC_FENCE, &before);
  graph_from_trace(&before, &graph);
  op.object = graph.nodes[graph.count - 1].location;
  if (op.op == TRACE_WAIT_BLOCKED)
    op.op = TRACE_WAIT;
  if (op.op == TRACE_BCAS_BLOCKED)
    op.op = TRACE_BCAS;
  bool violates = false;
  size_t versions = graph.mo[op.object].count;
  for (size_t version = 0; version <= versions && !violates; version++) {
    struct placement out[2];
    size_t count = placements_at(&graph, &op, version, out);
    for (size_t i = 0; i < count && !violates; i++) {
      graph_add(&graph, &out[i].node, out[i].position);
      graph_derive(&graph, &relations);
      violates = graph_consistent(&graph, &relations) && !graph_is_sc(&relations);
      graph_remove_last(&graph);
    }
  }
  trace_free(&before);
  graph_free(&graph);
  graph_relations_free(&relations);
  return violates;
}

bool placements_violate(const struct trace *trace, size_t index, enum graph_seq_cst seq_cst) {
  return violate(trace, index, seq_cst, false);
}

bool placements_violate_cxx20(const struct trace *trace, size_t index) {
  return violate(trace, index, GRAPH_SC_CXX20, true);
}
