// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "text.h"

#include "../host.h"
#include "names.h"

struct writer {
  rsan_graph_emit emit;
  void *context;
};

static void put(const struct writer *w, const char *text) {
  uint32_t length = 0;
  while (text[length])
    length++;
  w->emit(w->context, text, length);
}

static void put_number(const struct writer *w, uint64_t number) {
  char digits[20];
  uint32_t at = sizeof digits;
  do
    digits[--at] = (char)('0' + number % 10);
  while (number /= 10);
  w->emit(w->context, digits + at, (uint32_t)sizeof digits - at);
}

static void put_value(const struct writer *w, struct rsan_value value) {
  if (value.high) {
    put_number(w, value.high);
    put(w, ":");
  }
  put_number(w, value.low);
}

static void put_field(const struct writer *w, const char *name, uint64_t number) {
  if (!number)
    return;
  put(w, name);
  put_number(w, number);
}

static void put_word(const struct writer *w, const char *name, const char *word) {
  put(w, name);
  put(w, word);
}

static void put_value_field(const struct writer *w, const char *name, struct rsan_value value) {
  if (!value.low && !value.high)
    return;
  put(w, name);
  put_value(w, value);
}

static void put_condition(const struct writer *w, const struct rsan_graph_op *op) {
  if (!op->conditional)
    return;
  put_word(w, " when ", rsan_graph_relations[op->condition.relation]);
  put(w, " ");
  put_value(w, op->condition.operand);
  put_field(w, " mask ", op->condition.mask);
  put_field(w, " condition-size ", op->condition.size);
  if (op->condition.alone)
    put(w, " alone");
}

static void put_op(const struct writer *w, const struct rsan_graph_op *op) {
  put_word(w, " ", rsan_graph_kinds[op->kind]);
  put_field(w, " object ", op->object);
  if (op->order)
    put_word(w, " order ", rsan_graph_orders[op->order]);
  if (op->failure)
    put_word(w, " failure ", rsan_graph_orders[op->failure]);
  if (op->function)
    put_word(w, " function ", rsan_graph_functions[op->function]);
  put_field(w, " size ", op->size);
  put_value_field(w, " operand ", op->operand);
  put_value_field(w, " initial ", op->initial);
  put_condition(w, op);
  if (op->blocks)
    put(w, " blocks");
  if (op->insists)
    put(w, " insists");
  if (op->certain)
    put(w, " certain");
  if (op->spurious)
    put(w, " spurious");
}

static void put_event(const struct writer *w, const struct rsan_graph_event *event) {
  put(w, " thread ");
  put_number(w, event->thread);
  put_field(w, " stamp ", event->stamp);
  put_op(w, &event->op);
  if (event->reads == RSAN_GRAPH_INITIAL)
    put(w, " reads initial");
  else if (event->reads != RSAN_GRAPH_NONE) {
    put(w, " reads ");
    put_number(w, event->reads);
  }
  if (event->outcome == RSAN_GRAPH_FAILED_ANYHOW)
    put(w, " fails");
  if (event->op.kind == RSAN_GRAPH_CHOICE)
    put_value_field(w, " chosen ", event->read);
  put_field(w, " write-stamp ", event->write_stamp);
  put_field(w, " place ", event->place);
}

void rsan_graph_write_text(const struct rsan_graph *graph, rsan_graph_emit emit, void *context) {
  struct writer w = {emit, context};
  put_word(&w, "graph ", rsan_graph_models[graph->model]);
  put_field(&w, " stamp ", graph->last_stamp);
  for (uint32_t e = 0; e < graph->count; e++) {
    put(&w, "\nevent ");
    put_number(&w, e);
    put_event(&w, &graph->event[e]);
  }
  put(&w, "\nend\n");
}

static void put_node(const struct writer *w, uint32_t e, const struct rsan_graph_event *event) {
  put(w, "    e");
  put_number(w, e);
  put_word(w, " [label=\"", rsan_graph_kinds[event->op.kind]);
  if (event->op.kind != RSAN_GRAPH_FENCE && event->op.kind != RSAN_GRAPH_CHOICE) {
    put(w, " ");
    put_number(w, event->op.object);
  }
  if (!rsan_graph_is_plain(event) && event->op.kind != RSAN_GRAPH_CHOICE)
    put_word(w, " ", rsan_graph_orders[rsan_graph_order(event)]);
  if (event->reads != RSAN_GRAPH_NONE && event->op.kind != RSAN_GRAPH_FENCE) {
    put(w, " = ");
    put_value(w, event->read);
  }
  if (event->write_stamp && event->op.kind != RSAN_GRAPH_FENCE) {
    put(w, " := ");
    put_value(w, event->written);
  }
  put(w, event->outcome == RSAN_GRAPH_BLOCKED ? " waits\"];\n" : "\"];\n");
}

static void put_edge(const struct writer *w, uint32_t from, uint32_t to, const char *rest) {
  put(w, "  e");
  put_number(w, from);
  put(w, " -> e");
  put_number(w, to);
  put(w, rest);
}

static void put_edges(const struct writer *w, const struct rsan_graph *graph, uint32_t e) {
  const struct rsan_graph_event *event = &graph->event[e];
  if (event->previous != RSAN_GRAPH_NONE)
    put_edge(w, event->previous, e, ";\n");
  if (event->reads < RSAN_GRAPH_NONE)
    put_edge(w, event->reads, e, " [label=rf, color=green4, constraint=false];\n");
  if (event->place > 1)
    put_edge(w, rsan_graph_write_at(graph, event->op.object, event->place - 1), e,
             " [label=mo, color=orange3, constraint=false];\n");
}

// Is the event the first one of its thread?
static bool is_first(const struct rsan_graph_event *event) {
  return event->previous == RSAN_GRAPH_NONE;
}

void rsan_graph_write_dot(const struct rsan_graph *graph, rsan_graph_emit emit, void *context) {
  struct writer w = {emit, context};
  put(&w, "digraph execution {\n  node [shape=plaintext];\n");
  for (uint32_t first = 0; first < graph->count; first++) {
    uint32_t thread = graph->event[first].thread;
    if (!is_first(&graph->event[first]))
      continue;
    put(&w, "  subgraph cluster_");
    put_number(&w, thread);
    put(&w, " {\n    label=\"thread ");
    put_number(&w, thread);
    put(&w, "\";\n");
    for (uint32_t e = first; e < graph->count; e++)
      if (graph->event[e].thread == thread)
        put_node(&w, e, &graph->event[e]);
    put(&w, "  }\n");
  }
  for (uint32_t e = 0; e < graph->count; e++)
    put_edges(&w, graph, e);
  put(&w, "}\n");
}
