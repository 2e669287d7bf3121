// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a run to its execution graph. The run is an SC one, so rf is 'the last
// write before' and mo is the order of the writes. Deviations from one node an
// event:
//   1. with GRAPH_SC_FENCE an access of order sc is an SC fence and then the
//      acquire/release access (two nodes, one event); a compare-exchange is
//      such an access if either of its orders is sc, for the fence stands
//      before the outcome;
//   2. re-allocation makes a new location under the old name;
//   3. a blocked arrival is a node without memory effect.
#include <stdlib.h>
#include <string.h>

#include "graph.h"

#define NONE UINT32_MAX

struct builder {
  const struct trace *trace;
  struct graph *graph;
  uint32_t *last;     // per thread: its last node
  uint32_t *creator;  // per thread: the node that created it
  uint32_t *location; // per name of an atomic: its location now, or NONE
  uint32_t *plain;    // per name of a non-atomic, likewise
  uint32_t plain_locations;
};

static uint32_t add_node(struct builder *b, struct graph_node *node) {
  size_t position = 0;
  if (graph_writes(node->kind))
    position = b->graph->mo[node->location].count + 1;
  uint32_t index = graph_add(b->graph, node, position);
  uint32_t thread = node->thread;
  if (b->last[thread] == NONE && b->creator[thread] != NONE)
    graph_add_edge(b->graph, b->creator[thread], index);
  b->last[thread] = index;
  return index;
}

static uint32_t atomic_location(struct builder *b, uint32_t name) {
  if (b->location[name] == NONE) {
    b->location[name] = (uint32_t)b->graph->locations;
    graph_need_location(b->graph, b->location[name]);
  }
  return b->location[name];
}

static uint32_t plain_location(struct builder *b, uint32_t name) {
  if (b->plain[name] == NONE)
    b->plain[name] = b->plain_locations++;
  return b->plain[name];
}

static void set_order(struct graph_node *node, enum trace_order order) {
  bool both = order == TRACE_AR || order == TRACE_SC;
  node->acquire = both || order == TRACE_ACQ;
  node->release = both || order == TRACE_REL;
  node->sc = order == TRACE_SC;
}

static bool is_cas(enum trace_op op) {
  return op == TRACE_WEAK_CAS || op == TRACE_STRONG_CAS;
}

static enum graph_kind access_kind(const struct trace_event *event) {
  if (event->op == TRACE_STORE)
    return GRAPH_WRITE;
  if (event->op == TRACE_LOAD || event->op == TRACE_WAIT)
    return GRAPH_READ;
  return is_cas(event->op) && !event->ok ? GRAPH_READ : GRAPH_RMW;
}

void graph_node_set(struct graph_node *node, const struct trace_event *event) {
  bool fence = event->op == TRACE_FENCE;
  node->kind = fence ? GRAPH_FENCE : access_kind(event);
  node->value = event->written;
  bool failed = is_cas(event->op) && !event->ok;
  set_order(node, failed ? event->failure : event->order);
}

static void add_access(struct builder *b, struct graph_node node, const struct trace_event *event) {
  bool sc = event->order == TRACE_SC || (is_cas(event->op) && event->failure == TRACE_SC);
  if (sc && b->graph->seq_cst == GRAPH_SC_FENCE) {
    struct graph_node fence = node;
    fence.kind = GRAPH_FENCE;
    set_order(&fence, TRACE_SC);
    add_node(b, &fence);
  }
  graph_node_set(&node, event);
  node.sc = node.sc && b->graph->seq_cst >= GRAPH_SC_CXX20;
  node.location = atomic_location(b, event->object);
  const struct graph_list *mo = &b->graph->mo[node.location];
  node.rf = mo->count ? mo->at[mo->count - 1] : GRAPH_INITIAL;
  add_node(b, &node);
}

static void add_lock(struct builder *b, struct graph_node *node, uint32_t mutex) {
  uint32_t index = add_node(b, node);
  for (uint32_t i = 0; i < index; i++) {
    const struct trace_event *other = &b->trace->events[b->graph->nodes[i].event];
    if (other->op == TRACE_UNLOCK && other->object == mutex)
      graph_add_edge(b->graph, i, index);
  }
}

static void add_join(struct builder *b, struct graph_node *node, uint32_t child) {
  uint32_t index = add_node(b, node);
  uint32_t end = b->last[child] != NONE ? b->last[child] : b->creator[child];
  if (end != NONE)
    graph_add_edge(b->graph, end, index);
}

static void add_event(struct builder *b, uint32_t index) {
  const struct trace_event *event = &b->trace->events[index];
  struct graph_node node = {.kind = GRAPH_OTHER, .thread = event->thread, .event = index};
  if (trace_op_is_access(event->op)) {
    add_access(b, node, event);
    return;
  }
  switch (event->op) {
  case TRACE_FENCE:
    graph_node_set(&node, event);
    break;
  case TRACE_PLAIN_READ:
  case TRACE_PLAIN_WRITE:
    node.kind = event->op == TRACE_PLAIN_READ ? GRAPH_PLAIN_READ : GRAPH_PLAIN_WRITE;
    node.location = plain_location(b, event->object);
    break;
  case TRACE_WAIT_BLOCKED:
  case TRACE_BCAS_BLOCKED:
    node.location = atomic_location(b, event->object);
    break;
  case TRACE_LOCK:
    add_lock(b, &node, event->object);
    return;
  case TRACE_JOIN:
    add_join(b, &node, event->object);
    return;
  case TRACE_CREATE:
    b->creator[event->object] = add_node(b, &node);
    return;
  case TRACE_ALLOC:
    b->location[event->object] = NONE;
    break;
  case TRACE_ALLOC_PLAIN:
    b->plain[event->object] = NONE;
    break;
  default:
    break;
  }
  add_node(b, &node);
}

static uint32_t *none_array(size_t count) {
  size_t capacity = 0;
  uint32_t *array = trace_grow(NULL, &capacity, count + 1, sizeof *array);
  memset(array, 0xff, (count + 1) * sizeof *array);
  return array;
}

bool graph_from_trace(const struct trace *trace, struct graph *out) {
  graph_clear(out);
  if (trace->count > GRAPH_MAX_NODES / 2)
    return false;
  uint32_t names = 0;
  for (size_t i = 0; i < trace->count; i++)
    if (trace->events[i].object > names)
      names = trace->events[i].object;
  struct builder builder = {
      .trace = trace,
      .graph = out,
      .last = none_array(trace->threads),
      .creator = none_array(trace->threads),
      .location = none_array(names),
      .plain = none_array(names),
  };
  for (uint32_t i = 0; i < trace->count; i++)
    add_event(&builder, i);
  free(builder.last);
  free(builder.creator);
  free(builder.location);
  free(builder.plain);
  return true;
}
