// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "graph.h"
#include "mixed_program.h"

struct mixed_graph {
  const struct mixed_event *run;
  uint32_t count, last;
  enum graph_kind kind[MIXED_EVENTS];
  uint32_t mo[MIXED_EVENTS], writes;         // of all locations, one after the other
  uint32_t rf[MIXED_EVENTS][MIXED_SIZE];     // by byte
  uint32_t place[MIXED_EVENTS];              // of a write in mo
  bool together[MIXED_EVENTS][MIXED_EVENTS]; // accesses of one location
};

static struct graph graph;
static struct graph_relations relations;

static void find_locations(struct mixed_graph *g) {
  for (uint32_t a = 0; a < g->count; a++)
    for (uint32_t b = 0; b < g->count; b++)
      g->together[a][b] = mixed_overlap(&g->run[a], &g->run[b]);
  for (uint32_t k = 0; k < g->count; k++)
    for (uint32_t a = 0; a < g->count; a++)
      for (uint32_t b = 0; b < g->count; b++)
        g->together[a][b] |= g->together[a][k] && g->together[k][b];
}

// The write that a byte has its value from after so many writes of mo.
static uint32_t source(const struct mixed_graph *g, uint32_t address, uint32_t writes) {
  while (writes-- > 0)
    if (mixed_has_byte(&g->run[g->mo[writes]], address))
      return g->mo[writes];
  return GRAPH_INITIAL;
}

static void read_after(struct mixed_graph *g, uint32_t e, uint32_t writes) {
  const struct mixed_event *event = &g->run[e];
  for (uint32_t i = 0; i < event->size; i++)
    g->rf[e][i] = source(g, event->address + i, writes);
}

static uint64_t value_read(const struct mixed_graph *g, uint32_t e) {
  const struct mixed_event *event = &g->run[e];
  uint64_t value = 0;
  for (uint32_t i = 0; i < event->size; i++) {
    uint32_t from = g->rf[e][i];
    if (from != GRAPH_INITIAL)
      value |= (g->run[from].left >> 8 * (event->address + i - g->run[from].address) & 0xff)
               << 8 * i;
  }
  return value;
}

// The run but for its last event.
static void take_run(struct mixed_graph *g) {
  for (uint32_t e = 0; e < g->last; e++) {
    const struct mixed_event *event = &g->run[e];
    bool fails = event->kind == MIXED_EXCHANGE_IF && event->fails;
    g->kind[e] = event->kind == MIXED_FENCE           ? GRAPH_FENCE
                 : event->kind == MIXED_LOAD || fails ? GRAPH_READ
                 : event->kind == MIXED_STORE         ? GRAPH_WRITE
                                                      : GRAPH_RMW;
    if (graph_reads(g->kind[e]))
      read_after(g, e, g->writes);
    if (graph_writes(g->kind[e]))
      g->mo[g->writes++] = e;
  }
}

static void make_nodes(const struct mixed_graph *g) {
  graph_clear(&graph);
  graph.seq_cst = GRAPH_SC_CXX20;
  graph_need_location(&graph, 0); // whose mo of these nodes nobody asks for
  for (uint32_t e = 0; e < g->count; e++) {
    const struct mixed_event *event = &g->run[e];
    bool reads = graph_reads(g->kind[e]) || g->kind[e] == GRAPH_FENCE;
    bool writes = graph_writes(g->kind[e]) || g->kind[e] == GRAPH_FENCE;
    struct graph_node node = {.kind = g->kind[e],
                              .thread = event->thread,
                              .acquire = event->acquire && reads,
                              .release = event->release && writes,
                              .sc = event->sc};
    graph_add(&graph, &node, graph.mo[0].count + 1);
  }
}

static void derive(struct mixed_graph *g) {
  struct graph_relations *r = &relations;
  relation_reset(&r->rf, g->count);
  relation_reset(&r->mo, g->count);
  relation_reset(&r->fr, g->count);
  for (uint32_t i = 0; i < g->writes; i++)
    g->place[g->mo[i]] = i;
  for (uint32_t i = 0; i < g->writes; i++)
    for (uint32_t j = i + 1; j < g->writes; j++)
      if (g->together[g->mo[i]][g->mo[j]])
        relation_add(&r->mo, g->mo[i], g->mo[j]);
  for (uint32_t e = 0; e < g->count; e++)
    for (uint32_t i = 0; graph_reads(g->kind[e]) && i < g->run[e].size; i++) {
      uint32_t from = g->rf[e][i];
      if (from != GRAPH_INITIAL)
        relation_add(&r->rf, from, e);
      for (uint32_t w = from == GRAPH_INITIAL ? 0 : g->place[from] + 1; w < g->writes; w++)
        if (g->mo[w] != e && mixed_has_byte(&g->run[g->mo[w]], g->run[e].address + i))
          relation_add(&r->fr, e, g->mo[w]);
    }
  graph_derive_order(&graph, r);
}

static bool is_sc(const struct mixed_graph *g) {
  struct graph_relations *r = &relations;
  relation_copy(&r->hbsc, &r->po);
  relation_unite(&r->hbsc, &r->rf);
  relation_unite(&r->hbsc, &r->fr);
  for (uint32_t i = 0; i < g->writes; i++)
    for (uint32_t j = i + 1; j < g->writes; j++)
      if (mixed_overlap(&g->run[g->mo[i]], &g->run[g->mo[j]]))
        relation_add(&r->hbsc, g->mo[i], g->mo[j]);
  relation_close(&r->hbsc);
  return graph_is_sc(r);
}

// The last event has its place after so many writes.
static bool goes_wrong(struct mixed_graph *g, uint32_t writes) {
  const struct mixed_event *event = &g->run[g->last];
  read_after(g, g->last, writes);
  bool fails = event->kind == MIXED_EXCHANGE_IF && value_read(g, g->last) != event->expected;
  bool is_write = event->kind != MIXED_LOAD && !fails;
  g->kind[g->last] = !is_write ? GRAPH_READ : event->kind == MIXED_STORE ? GRAPH_WRITE : GRAPH_RMW;
  for (uint32_t i = g->writes; is_write && i > writes; i--)
    g->mo[i] = g->mo[i - 1];
  if (is_write)
    g->mo[writes] = g->last;
  g->writes += is_write;
  make_nodes(g);
  derive(g);
  bool wrong =
      graph_consistent(&graph, &relations) && relation_irreflexive(&relations.eco) && !is_sc(g);
  g->writes -= is_write;
  for (uint32_t i = writes; is_write && i < g->writes; i++)
    g->mo[i] = g->mo[i + 1];
  return wrong;
}

bool mixed_violates(const struct mixed_event *run, uint32_t count) {
  struct mixed_graph g = {.run = run, .count = count, .last = count - 1};
  if (!mixed_is_access(&run[count - 1]))
    return false;
  find_locations(&g);
  take_run(&g);
  for (uint32_t writes = 0; writes <= g.writes; writes++)
    if (goes_wrong(&g, writes))
      return true;
  return false;
}
