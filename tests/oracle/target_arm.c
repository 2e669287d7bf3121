// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ARMv8 as axioms (Deacon's model, 'ob'), with the standard mapping: loads LDR, acquiring ones
// LDAPR or LDAR, seq_cst ones LDAR; stores STR, releasing ones STLR; read-modify-writes and
// compare-exchanges by exclusives, or by the instructions of LSE; an acquire fence is DMB ISHLD,
// any other one DMB ISH.
//
// A program's text shows no dependencies, so they are bracketed: without any, an execution that is
// forbidden is impossible; with every read ordered before all that follows it, one that is allowed
// is possible whatever the dependencies.
//
// A read-modify-write is two events. In the relation node e is its read, n + e its write; a plain
// store is n + e. The write of LSE's acquiring and releasing read-modify-writes comes before all
// that follows ([range([A];amo;[L])]; po). A mutex operation is a full barrier; creation comes
// after all before it in its thread, a join before all after it.
#include "target_order.h"

struct parts {
  const struct graph *graph;
  const struct trace *trace;
  const struct target_arm *arm;
  const struct graph_relations *relations;
  struct relation *out;
};

static const struct trace_event *event_of(const struct parts *p, size_t e) {
  return &p->trace->events[p->graph->nodes[e].event];
}

static bool reads(const struct parts *p, size_t e) {
  return graph_reads(p->graph->nodes[e].kind);
}

static bool writes(const struct parts *p, size_t e) {
  return graph_writes(p->graph->nodes[e].kind);
}

// LDAR, LDAXR and LSE's: not before an earlier STLR.
static bool acquires_rcsc(const struct parts *p, size_t e) {
  const struct trace_event *event = event_of(p, e);
  bool load = event->op == TRACE_LOAD || event->op == TRACE_WAIT;
  return reads(p, e) && p->graph->nodes[e].acquire &&
         (!load || event->order == TRACE_SC || p->arm->ldar);
}

static bool acquires(const struct parts *p, size_t e) {
  return reads(p, e) && (p->graph->nodes[e].acquire || p->arm->every_read_acquires);
}

static bool releases(const struct parts *p, size_t e) {
  return writes(p, e) && p->graph->nodes[e].release;
}

static enum trace_op op_of(const struct parts *p, size_t e) {
  return event_of(p, e)->op;
}

// (C11's fence before a seq_cst access is not the machine's.)
static bool is_fence(const struct parts *p, size_t e) {
  enum trace_op op = op_of(p, e);
  return op == TRACE_FENCE || op == TRACE_LOCK || op == TRACE_UNLOCK;
}

static bool is_creation(const struct parts *p, size_t e) {
  return op_of(p, e) == TRACE_CREATE;
}

static bool is_join(const struct parts *p, size_t e) {
  return op_of(p, e) == TRACE_JOIN;
}

// Has no part as a read or write, but comes before and after others.
static bool is_point(const struct parts *p, size_t e) {
  return is_fence(p, e) || is_creation(p, e) || is_join(p, e);
}

static bool is_load_fence(const struct parts *p, size_t e) {
  return op_of(p, e) == TRACE_FENCE && !p->graph->nodes[e].release;
}

static bool is_lse_barrier(const struct parts *p, size_t e) {
  return p->arm->lse && reads(p, e) && acquires_rcsc(p, e) && releases(p, e);
}

// All of a's events come before x, x before all of a's events.
static void all_before(const struct parts *p, size_t a, size_t x) {
  if (reads(p, a) || is_point(p, a))
    relation_add(p->out, a, x);
  if (writes(p, a))
    relation_add(p->out, p->graph->count + a, x);
}

static void before_all(const struct parts *p, size_t x, size_t a) {
  if (reads(p, a) || is_point(p, a))
    relation_add(p->out, x, a);
  if (writes(p, a))
    relation_add(p->out, x, p->graph->count + a);
}

// Program order: a, then b.
static void order_pair(const struct parts *p, size_t a, size_t b) {
  size_t n = p->graph->count;
  if (is_load_fence(p, b)) {
    if (reads(p, a))
      relation_add(p->out, a, b);
  } else if (is_fence(p, b) || is_creation(p, b)) {
    all_before(p, a, b);
  }
  if (is_fence(p, a) || is_join(p, a) || acquires(p, a))
    before_all(p, a, b);
  if (releases(p, b))
    all_before(p, a, n + b);
  if (releases(p, a) && acquires_rcsc(p, b))
    relation_add(p->out, n + a, b);
  if (is_lse_barrier(p, a))
    before_all(p, n + a, b);
}

static void order_conflict(const struct parts *p, size_t a, size_t b) {
  size_t n = p->graph->count;
  const struct graph_node *from = &p->graph->nodes[a], *to = &p->graph->nodes[b];
  bool own = from->thread == to->thread;
  if (!own && relation_has(&p->relations->rf, a, b))
    relation_add(p->out, n + a, b);
  // Among a thread's own accesses, what precedes a write precedes a later write of the location
  // (lws).
  if (relation_has(&p->relations->mo, a, b))
    relation_add(p->out, n + a, n + b);
  if (!own && relation_has(&p->relations->fr, a, b))
    relation_add(p->out, a, n + b);
  // A store exclusive that is forwarded to an acquiring load: after its own load.
  if (own && relation_has(&p->relations->rf, a, b) && reads(p, a) && acquires(p, b))
    relation_add(p->out, a, b);
}

void target_order_arm(const struct target_arm *arm, const struct graph *graph,
                      const struct trace *trace, const struct graph_relations *relations,
                      struct relation *out) {
  struct parts p = {graph, trace, arm, relations, out};
  relation_reset(out, 2 * graph->count);
  for (size_t a = 0; a < graph->count; a++) {
    if (reads(&p, a) && writes(&p, a))
      relation_add(out, a, graph->count + a);
    for (size_t b = 0; b < graph->count; b++) {
      if (relation_has(&relations->po, a, b))
        order_pair(&p, a, b);
      order_conflict(&p, a, b);
    }
  }
}

// Creation comes before all of its thread, all of a thread before its join, an unlock before a
// lock.
static void order_sync(const struct parts *p, const struct graph_edge *edge) {
  const struct graph_node *from = &p->graph->nodes[edge->from], *to = &p->graph->nodes[edge->to];
  bool creates = is_creation(p, edge->from) && to->thread == event_of(p, edge->from)->object;
  bool joins = is_join(p, edge->to) && from->thread == event_of(p, edge->to)->object;
  if (!creates && !joins)
    relation_add(p->out, edge->from, edge->to);
  for (size_t e = 0; e < p->graph->count; e++) {
    if (creates && p->graph->nodes[e].thread == to->thread)
      before_all(p, edge->from, e);
    if (joins && p->graph->nodes[e].thread == from->thread)
      all_before(p, e, edge->to);
  }
}

// The start of an access that reads with `order`, at node `at` of the relation.
static void enter_read(const struct parts *p, size_t a, size_t at, bool plain_load,
                       enum trace_order order) {
  bool acquiring = order == TRACE_ACQ || order == TRACE_AR || order == TRACE_SC;
  if (acquiring && (!plain_load || p->arm->ldar || order == TRACE_SC) && releases(p, a))
    relation_add(p->out, p->graph->count + a, at);
}

static void enter_write(const struct parts *p, size_t a, size_t at, enum trace_order order) {
  if (order == TRACE_REL || order == TRACE_AR || order == TRACE_SC)
    all_before(p, a, at);
}

static void enter(const struct parts *p, size_t a, size_t e) {
  const struct trace_event *event = event_of(p, e);
  size_t n = p->graph->count, fails = e, succeeds = n + e;
  bool cas = event->op == TRACE_WEAK_CAS || event->op == TRACE_STRONG_CAS;
  bool load = event->op == TRACE_LOAD || event->op == TRACE_WAIT || event->op == TRACE_WAIT_BLOCKED;
  if (is_fence(p, a) || is_join(p, a) || acquires(p, a)) {
    relation_add(p->out, a, fails);
    relation_add(p->out, a, succeeds);
  }
  if (is_lse_barrier(p, a)) {
    relation_add(p->out, n + a, fails);
    relation_add(p->out, n + a, succeeds);
  }
  enter_read(p, a, fails, load, cas ? event->failure : event->order);
  if (event->op != TRACE_STORE)
    enter_read(p, a, succeeds, false, event->order);
  enter_write(p, a, succeeds, event->order);
}

void target_order_arm_sync(const struct target_arm *arm, const struct graph *graph,
                           const struct trace *trace, const struct graph_relations *relations,
                           struct relation *out) {
  struct parts p = {graph, trace, arm, relations, out};
  for (size_t i = 0; i < graph->edge_count; i++)
    order_sync(&p, &graph->edges[i]);
}

void target_enter_arm(const struct target_arm *arm, const struct graph *graph,
                      const struct trace *trace, const struct graph_relations *relations,
                      struct relation *out) {
  struct parts p = {graph, trace, arm, relations, out};
  relation_reset(out, 2 * graph->count);
  for (size_t e = 0; e < graph->count; e++) {
    const struct graph_node *node = &graph->nodes[e];
    if (node->kind == GRAPH_FENCE || !trace_op_is_checked(op_of(&p, e)))
      continue;
    for (size_t a = 0; a < graph->count; a++) {
      if (relation_has(&relations->po, a, e))
        enter(&p, a, e);
      if (is_creation(&p, a) && event_of(&p, a)->object == node->thread) {
        relation_add(out, a, e);
        relation_add(out, a, graph->count + e);
      }
    }
  }
}
