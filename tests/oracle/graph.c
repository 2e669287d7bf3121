// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "graph.h"

#include <stdlib.h>
#include <string.h>

static void list_insert(struct graph_list *list, size_t at, uint32_t node) {
  list->at = trace_grow(list->at, &list->capacity, list->count + 1, sizeof *list->at);
  memmove(list->at + at + 1, list->at + at, (list->count - at) * sizeof *list->at);
  list->at[at] = node;
  list->count++;
}

static void list_remove(struct graph_list *list, size_t at) {
  list->count--;
  memmove(list->at + at, list->at + at + 1, (list->count - at) * sizeof *list->at);
}

void graph_free(struct graph *graph) {
  for (size_t x = 0; x < graph->locations_capacity; x++)
    free(graph->mo[x].at);
  free(graph->mo);
  free(graph->nodes);
  free(graph->fences.at);
  free(graph->edges);
  memset(graph, 0, sizeof *graph);
}

void graph_clear(struct graph *graph) {
  for (size_t x = 0; x < graph->locations; x++)
    graph->mo[x].count = 0;
  graph->locations = 0;
  graph->count = 0;
  graph->fences.count = 0;
  graph->edge_count = 0;
}

void graph_need_location(struct graph *graph, uint32_t location) {
  if (location < graph->locations)
    return;
  graph->mo =
      trace_grow(graph->mo, &graph->locations_capacity, (size_t)location + 1, sizeof *graph->mo);
  graph->locations = (size_t)location + 1;
}

uint32_t graph_add(struct graph *graph, const struct graph_node *node, size_t position) {
  graph->nodes = trace_grow(graph->nodes, &graph->capacity, graph->count + 1, sizeof *graph->nodes);
  uint32_t index = (uint32_t)graph->count++;
  graph->nodes[index] = *node;
  if (graph_writes(node->kind))
    list_insert(&graph->mo[node->location], position - 1, index);
  if (node->kind == GRAPH_FENCE && node->sc)
    list_insert(&graph->fences, graph->fences.count, index);
  return index;
}

void graph_remove_last(struct graph *graph) {
  uint32_t index = (uint32_t)graph->count - 1;
  const struct graph_node *node = &graph->nodes[index];
  if (graph_writes(node->kind))
    list_remove(&graph->mo[node->location], graph_position(graph, index) - 1);
  if (node->kind == GRAPH_FENCE && node->sc)
    list_remove(&graph->fences, graph->fences.count - 1);
  while (graph->edge_count && graph->edges[graph->edge_count - 1].to == index)
    graph->edge_count--;
  graph->count--;
}

void graph_add_edge(struct graph *graph, uint32_t from, uint32_t to) {
  graph->edges =
      trace_grow(graph->edges, &graph->edge_capacity, graph->edge_count + 1, sizeof *graph->edges);
  graph->edges[graph->edge_count++] = (struct graph_edge){from, to};
}

size_t graph_position(const struct graph *graph, uint32_t node) {
  if (node == GRAPH_INITIAL)
    return 0;
  const struct graph_list *mo = &graph->mo[graph->nodes[node].location];
  for (size_t i = 0; i < mo->count; i++)
    if (mo->at[i] == node)
      return i + 1;
  abort(); // a write without a place in mo
}

size_t graph_read_position(const struct graph *graph, uint32_t node) {
  return graph_position(graph, graph->nodes[node].rf);
}

static void derive_po(const struct graph *graph, struct relation *po) {
  relation_reset(po, graph->count);
  for (size_t a = 0; a < graph->count; a++)
    for (size_t b = a + 1; b < graph->count; b++)
      if (graph->nodes[a].thread == graph->nodes[b].thread)
        relation_add(po, a, b);
}

static void derive_sync(const struct graph *graph, struct relation *sync) {
  relation_reset(sync, graph->count);
  for (size_t e = 0; e < graph->edge_count; e++)
    relation_add(sync, graph->edges[e].from, graph->edges[e].to);
}

static void derive_mo_rf_fr(const struct graph *graph, struct graph_relations *r) {
  relation_reset(&r->mo, graph->count);
  relation_reset(&r->rf, graph->count);
  relation_reset(&r->fr, graph->count);
  for (size_t x = 0; x < graph->locations; x++) {
    const struct graph_list *mo = &graph->mo[x];
    for (size_t i = 0; i < mo->count; i++)
      for (size_t j = i + 1; j < mo->count; j++)
        relation_add(&r->mo, mo->at[i], mo->at[j]);
  }
  for (size_t e = 0; e < graph->count; e++) {
    const struct graph_node *node = &graph->nodes[e];
    if (!graph_reads(node->kind))
      continue;
    if (node->rf != GRAPH_INITIAL)
      relation_add(&r->rf, node->rf, e);
    const struct graph_list *mo = &graph->mo[node->location];
    // An RMW overwrites what it reads; fr leaves out that step to itself.
    for (size_t i = graph_position(graph, node->rf); i < mo->count; i++)
      if (mo->at[i] != e)
        relation_add(&r->fr, e, mo->at[i]);
  }
}

// sw = ([W&rel] ∪ [F&rel]; po; [W]) ; rs ; rf ; ([R&acq] ∪ [R]; po; [F&acq])
// rs = [W] ; (rf; [RMW])*
static void derive_sw(const struct graph *graph, struct graph_relations *r) {
  size_t n = graph->count;
  struct relation *release = &r->scratch[0], *sequence = &r->scratch[1];
  struct relation *acquire = &r->scratch[2], *joined = &r->scratch[3];
  relation_reset(release, n);
  relation_reset(sequence, n);
  relation_reset(acquire, n);
  for (size_t a = 0; a < n; a++) {
    const struct graph_node *from = &graph->nodes[a];
    if (graph_writes(from->kind) && from->release)
      relation_add(release, a, a);
    if (graph_reads(from->kind) && from->acquire)
      relation_add(acquire, a, a);
    for (size_t b = 0; b < n; b++) {
      const struct graph_node *to = &graph->nodes[b];
      if (to->kind == GRAPH_RMW && relation_has(&r->rf, a, b))
        relation_add(sequence, a, b);
      if (!relation_has(&r->po, a, b))
        continue;
      if (from->kind == GRAPH_FENCE && from->release && graph_writes(to->kind))
        relation_add(release, a, b);
      if (graph_reads(from->kind) && to->kind == GRAPH_FENCE && to->acquire)
        relation_add(acquire, a, b);
    }
  }
  relation_close(sequence);
  relation_add_identity(sequence);
  relation_compose(joined, release, sequence);
  relation_compose(sequence, joined, &r->rf);
  relation_compose(&r->sw, sequence, acquire);
}

void graph_derive_order(const struct graph *graph, struct graph_relations *out) {
  derive_po(graph, &out->po);
  derive_sync(graph, &out->sync);
  derive_sw(graph, out);
  relation_copy(&out->hb, &out->po);
  relation_unite(&out->hb, &out->sync);
  relation_unite(&out->hb, &out->sw);
  for (size_t i = 1; i < graph->fences.count && !graph->fences_unordered; i++)
    relation_add(&out->hb, graph->fences.at[i - 1], graph->fences.at[i]);
  relation_close(&out->hb);
}

void graph_derive(const struct graph *graph, struct graph_relations *out) {
  derive_mo_rf_fr(graph, out);
  graph_derive_order(graph, out);
  relation_copy(&out->hbsc, &out->po);
  relation_unite(&out->hbsc, &out->sync);
  relation_unite(&out->hbsc, &out->rf);
  relation_unite(&out->hbsc, &out->mo);
  relation_unite(&out->hbsc, &out->fr);
  relation_close(&out->hbsc);
}

void graph_relations_free(struct graph_relations *relations) {
  struct relation *all[] = {&relations->po,         &relations->sync,      &relations->rf,
                            &relations->mo,         &relations->fr,        &relations->sw,
                            &relations->hb,         &relations->hbsc,      &relations->eco,
                            &relations->psc,        relations->scratch,    relations->scratch + 1,
                            relations->scratch + 2, relations->scratch + 3};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    relation_free(all[i]);
}

bool graph_consistent(const struct graph *graph, struct graph_relations *r) {
  if (!relation_irreflexive(&r->hb))
    return false;
  struct relation *composed = &r->scratch[0];
  relation_copy(&r->eco, &r->rf);
  relation_unite(&r->eco, &r->mo);
  relation_unite(&r->eco, &r->fr);
  relation_close(&r->eco);
  relation_compose(composed, &r->hb, &r->eco);
  if (!relation_irreflexive(composed))
    return false;
  relation_compose(composed, &r->fr, &r->mo);
  if (!relation_irreflexive(composed))
    return false;
  struct relation *porf = &r->scratch[1];
  relation_copy(porf, &r->po);
  relation_unite(porf, &r->sync);
  relation_unite(porf, &r->rf);
  relation_close(porf);
  if (!relation_irreflexive(porf))
    return false;
  bool has_psc = graph->seq_cst >= GRAPH_SC_CXX20 || graph->fences_unordered;
  return !has_psc || graph_psc_acyclic(graph, r);
}

bool graph_is_sc(const struct graph_relations *r) {
  return relation_irreflexive(&r->hbsc);
}
