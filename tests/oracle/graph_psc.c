// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// psc of RC11 (Lahav, Vafeiadis, Kang, Hur, Dreyer, "Repairing Sequential
// Consistency in C/C++11", PLDI 2017), as it stands there:
//
//   psc_base = ([Esc] ∪ [Fsc]; hb?); scb; ([Esc] ∪ hb?; [Fsc])
//   psc_F    = [Fsc]; (hb ∪ hb; eco; hb); [Fsc]
//   scb      = po ∪ po|≠loc; hb; po|≠loc ∪ hb|loc ∪ mo ∪ fr       (RC11)
//            = po ∪ po; hb; po ∪ eco                              (C++20)
//
// C++20 asks for a total order of the seq_cst events that contains 'strongly
// happens before' and 'coherence-ordered before' of those events, with fences
// standing for what happens before and after them. Beside RC11 this lacks
// hb|loc where it is neither po; hb; po nor eco, and has all of eco.
//
// The start and the end of a thread are no nodes of their own: its first event
// is where the creation leads to, its last one is where the join comes from. So
// the last po of scb may be the creation, the first one the join, and hb nothing.
#include "graph.h"

static bool is_access(const struct graph_node *node) {
  return graph_reads(node->kind) || graph_writes(node->kind);
}

static bool same_location(const struct graph_node *a, const struct graph_node *b) {
  return is_access(a) && is_access(b) && a->location == b->location;
}

// Keeps of r the pairs that are on one location, or those that are not.
static void restrict_to(struct relation *r, const struct graph *graph, bool same) {
  for (size_t a = 0; a < graph->count; a++)
    for (size_t b = 0; b < graph->count; b++)
      if (relation_has(r, a, b) && same_location(&graph->nodes[a], &graph->nodes[b]) != same)
        relation_row(r, a)[b / 64] &= ~((uint64_t)1 << (b % 64));
}

static void derive_scb(const struct graph *graph, struct graph_relations *r, struct relation *scb) {
  bool rc11 = graph->seq_cst == GRAPH_SC_RC11;
  struct relation *step = &r->scratch[1], *composed = &r->scratch[2];
  relation_copy(step, &r->po);
  relation_unite(step, &r->sync);
  if (rc11)
    restrict_to(step, graph, false);
  relation_compose(composed, step, &r->hb);
  relation_unite(composed, step);
  relation_compose(scb, composed, step);
  relation_unite(scb, &r->po);
  if (!rc11) {
    relation_unite(scb, &r->eco);
    return;
  }
  relation_copy(composed, &r->hb);
  restrict_to(composed, graph, true);
  relation_unite(scb, composed);
  relation_unite(scb, &r->mo);
  relation_unite(scb, &r->fr);
}

static bool is_sc_fence(const struct graph_node *node) {
  return node->kind == GRAPH_FENCE && node->sc;
}

// [Esc] ∪ [Fsc]; hb?     or, with `into`, [Esc] ∪ hb?; [Fsc]
static void derive_end(const struct graph *graph, const struct relation *hb, bool into,
                       struct relation *out) {
  relation_reset(out, graph->count);
  for (size_t e = 0; e < graph->count; e++) {
    if (!graph->nodes[e].sc)
      continue;
    relation_add(out, e, e);
    for (size_t other = 0; other < graph->count && is_sc_fence(&graph->nodes[e]); other++)
      if (into ? relation_has(hb, other, e) : relation_has(hb, e, other))
        relation_add(out, into ? other : e, into ? e : other);
  }
}

static void add_between_fences(const struct graph *graph, const struct relation *from,
                               struct relation *psc) {
  for (size_t a = 0; a < graph->count; a++)
    for (size_t b = 0; b < graph->count; b++)
      if (is_sc_fence(&graph->nodes[a]) && is_sc_fence(&graph->nodes[b]) &&
          relation_has(from, a, b))
        relation_add(psc, a, b);
}

bool graph_psc_acyclic(const struct graph *graph, struct graph_relations *r) {
  struct relation *scb = &r->scratch[0], *end = &r->scratch[1], *composed = &r->scratch[2];
  struct relation *psc = &r->psc;
  derive_scb(graph, r, scb);
  derive_end(graph, &r->hb, false, end);
  relation_compose(composed, end, scb);
  derive_end(graph, &r->hb, true, end);
  relation_compose(psc, composed, end);
  add_between_fences(graph, &r->hb, psc);
  relation_compose(composed, &r->hb, &r->eco);
  relation_compose(end, composed, &r->hb);
  add_between_fences(graph, end, psc);
  relation_close(psc);
  return relation_irreflexive(psc);
}
