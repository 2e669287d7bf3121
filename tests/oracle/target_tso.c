// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// x86-TSO as axioms (Owens, Sarkar, Sewell; in the form of Alglave, Maranget, Tautschnig), with the
// standard mapping: every load MOV; stores MOV, seq_cst ones XCHG; read-modify-writes and
// compare-exchanges, failed or not, LOCK-prefixed; SC fences MFENCE; other fences nothing. A mutex
// operation is a fence. A creation passes on what its thread has stored and is a store in that; a
// join takes what the thread has stored and is a load in that.
#include "target_order.h"

enum class {
  NOTHING, // takes no part
  LOAD,    // waits for no store of its thread
  STORE,   // no later load waits for it
  FULL,    // ordered with all of its thread
};

// The class of an access or blocked arrival when it starts.
static enum class class_of_op(const struct trace_event *event) {
  switch (event->op){
    case TRACE_LOAD : case TRACE_WAIT : case TRACE_WAIT_BLOCKED : return LOAD;
    case TRACE_STORE : return STORE; // a seq_cst one has its fence behind it
    default : return FULL;
  }
}

static enum class class_of(const struct graph_node *node, const struct trace *trace) {
  const struct trace_event *event = &trace->events[node->event]; switch (event->op){
    case TRACE_FENCE : return event->order == TRACE_SC ? FULL : NOTHING;
    case TRACE_LOCK : case TRACE_UNLOCK : return FULL;
    case TRACE_CREATE : return STORE;
    case TRACE_JOIN : return LOAD;
    case TRACE_STORE :
                // (C11's fence before it is not the machine's.)
                return node->kind == GRAPH_FENCE
        ? NOTHING
    : event->order == TRACE_SC ? FULL
                               : STORE;
    default : if (node->kind == GRAPH_FENCE || !trace_op_is_access(event->op)) return NOTHING;
    return class_of_op(event);
  }
}

static bool keeps_order(enum class from, enum class to) {
  return from != NOTHING && to != NOTHING && !(from == STORE && to == LOAD);
}

// Synchronisation as edges between all that it orders: creation comes before all of the thread, all
// of it before the join.
static void add_sync(const struct graph *graph, const struct trace *trace, size_t to,
                     struct relation *out) {
  for (size_t e = 0; e < graph->edge_count; e++) {
    const struct graph_edge *edge = &graph->edges[e];
    const struct graph_node *a = &graph->nodes[edge->from], *b = &graph->nodes[edge->to];
    bool creates = trace->events[a->event].op == TRACE_CREATE;
    bool joins = trace->events[b->event].op == TRACE_JOIN;
    if (creates && b->thread == trace->events[a->event].object) {
      if (graph->nodes[to].thread == b->thread)
        relation_add(out, edge->from, to);
      continue;
    }
    if (edge->to != to)
      continue;
    relation_add(out, edge->from, to);
    for (size_t n = 0; joins && n < graph->count; n++)
      if (graph->nodes[n].thread == a->thread && a->thread == trace->events[b->event].object &&
          class_of(&graph->nodes[n], trace) != NOTHING)
        relation_add(out, n, to);
  }
}

static void add_po(const struct graph *graph, const struct trace *trace,
                   const struct graph_relations *relations, size_t to, enum class enters,
                   struct relation *out) {
  for (size_t a = 0; a < graph->count; a++)
    if (relation_has(&relations->po, a, to) &&
        keeps_order(class_of(&graph->nodes[a], trace), enters))
      relation_add(out, a, to);
}

void target_order_tso(const struct graph *graph, const struct trace *trace,
                      const struct graph_relations *relations, struct relation *out) {
  relation_copy(out, &relations->mo);
  relation_unite(out, &relations->fr);
  for (size_t b = 0; b < graph->count; b++) {
    enum class to = class_of(&graph->nodes[b], trace);
    if (to == NOTHING)
      continue;
    add_po(graph, trace, relations, b, to, out);
    add_sync(graph, trace, b, out);
    if (!graph_reads(graph->nodes[b].kind) || graph->nodes[b].rf == GRAPH_INITIAL)
      continue;
    if (graph->nodes[graph->nodes[b].rf].thread != graph->nodes[b].thread)
      relation_add(out, graph->nodes[b].rf, b);
  }
}

void target_enter_tso(const struct graph *graph, const struct trace *trace,
                      const struct graph_relations *relations, struct relation *out) {
  relation_reset(out, graph->count);
  for (size_t b = 0; b < graph->count; b++) {
    const struct graph_node *node = &graph->nodes[b];
    const struct trace_event *event = &trace->events[node->event];
    if (node->kind == GRAPH_FENCE || !trace_op_is_checked(event->op))
      continue;
    add_po(graph, trace, relations, b, class_of_op(event), out);
    add_sync(graph, trace, b, out);
  }
}
