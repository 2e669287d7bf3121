// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// COHERENCE: hb; eco is irreflexive, where eco = (rf ∪ mo ∪ fr)+. Two events of one object, a
// before b in HB, so have the places of the writes that they read or are in that order; b's own
// write is behind. This is asked when b is added, of each a: nothing enters HB of b later, and a
// write that is put into mo leaves the order of the others.
//
// ATOMICITY: fr; mo is irreflexive. The write of an update stands right behind what it reads.
//
// psc (Lahav et al., PLDI 2017, section 3.2) with C++20's scb:
//
//   psc_base = ([Esc] ∪ [Fsc]; hb?); scb; ([Esc] ∪ hb?; [Fsc])        scb = po ∪ po; hb; po ∪ eco
//   psc_F    = [Fsc]; (hb ∪ hb; eco; hb); [Fsc]
#include "consistent.h"

#include "../host.h"

static bool is_atomic_of(const struct rsan_graph_event *event, uint32_t object) {
  return !rsan_graph_is_plain(event) && event->op.object == object &&
         (event->place || event->reads != RSAN_GRAPH_NONE);
}

// The last place that the event has to do with.
static uint32_t place_of(const struct rsan_graph *graph, const struct rsan_graph_event *event) {
  return event->place ? event->place : rsan_graph_read_place(graph, event);
}

uint32_t rsan_graph_known(const struct rsan_graph *graph, uint32_t event) {
  const uint64_t *before = rsan_graph_row(graph, event, RSAN_GRAPH_HB);
  uint32_t object = graph->event[event].op.object, known = 0;
  for (uint32_t e = 0; (e = rsan_row_next(before, graph->words, e)) != RSAN_GRAPH_NONE; e++)
    if (is_atomic_of(&graph->event[e], object) && place_of(graph, &graph->event[e]) > known)
      known = place_of(graph, &graph->event[e]);
  return known;
}

// Returns whether the write of an update, other than `but_for`, stands right behind this place.
static bool is_taken(const struct rsan_graph *graph, uint32_t object, uint32_t place,
                     uint32_t but_for) {
  for (uint32_t e = 0; e < graph->count; e++) {
    const struct rsan_graph_event *event = &graph->event[e];
    if (e != but_for && event->op.object == object && event->place &&
        event->reads != RSAN_GRAPH_NONE && rsan_graph_read_place(graph, event) == place)
      return true;
  }
  return false;
}

bool rsan_graph_is_coherent(const struct rsan_graph *graph, uint32_t e) {
  const struct rsan_graph_event *event = &graph->event[e];
  uint32_t known = rsan_graph_known(graph, e);
  bool reads = event->reads != RSAN_GRAPH_NONE;
  if (reads && rsan_graph_read_place(graph, event) < known)
    return false;
  if (!event->place)
    return true;
  if (reads && event->place != rsan_graph_read_place(graph, event) + 1)
    return false;
  uint32_t before = event->place - 1;
  return before >= known && !is_taken(graph, event->op.object, before, e);
}

// Adds the events that are eco-before this one. A read of the same write is not eco-before it.
static void join_eco(const struct rsan_graph *graph, uint32_t e, uint64_t *row) {
  const struct rsan_graph_event *event = &graph->event[e];
  if (!is_atomic_of(event, event->op.object))
    return;
  uint32_t place = place_of(graph, event);
  for (uint32_t other = 0; other < graph->count; other++) {
    const struct rsan_graph_event *from = &graph->event[other];
    if (other == e || !is_atomic_of(from, event->op.object))
      continue;
    uint32_t at = place_of(graph, from);
    if (at < place || (at == place && from->place && !event->place))
      rsan_row_add(row, other);
  }
}

static void join_po(const struct rsan_graph *graph, uint32_t e, uint64_t *row) {
  for (uint32_t p = graph->event[e].previous; p != RSAN_GRAPH_NONE; p = graph->event[p].previous)
    rsan_row_add(row, p);
}

static void join_scb(const struct rsan_graph *graph, uint32_t e, uint64_t *row) {
  join_po(graph, e, row);
  rsan_row_join(row, rsan_graph_row(graph, e, RSAN_GRAPH_SHB), graph->words);
  join_eco(graph, e, row);
}

// Replaces `row` by its seq_cst accesses and the seq_cst fences in `before`.
static void keep_sc(const struct rsan_graph *graph, uint64_t *row, const uint64_t *before) {
  for (uint32_t e = 0; e < graph->count; e++) {
    const struct rsan_graph_event *event = &graph->event[e];
    bool in = rsan_graph_is_fence_sc(event) ? rsan_row_has(before, e)
                                            : rsan_graph_is_sc_event(event) && rsan_row_has(row, e);
    uint64_t bit = (uint64_t)1 << e % 64;
    row[e / 64] = in ? row[e / 64] | bit : row[e / 64] & ~bit;
  }
}

// The rows that a check of psc uses: two for each event, and three sets.
struct psc {
  const struct rsan_graph *graph;
  uint64_t *psc, *scb;             // of each event; scb when it was asked for
  uint64_t *has_scb, *ends, *gone; // sets of events
};

static const uint64_t *find_scb(const struct psc *p, uint32_t e) {
  uint64_t *row = p->scb + (uint64_t)e * p->graph->words;
  if (!rsan_row_has(p->has_scb, e))
    join_scb(p->graph, e, row);
  rsan_row_add(p->has_scb, e);
  return row;
}

// Collects the events that are psc-before a seq_cst event. psc_F needs no work of its own, because
// psc_base contains it here: hb leaves a fence by po or, for RC20, by rf of the fences' object, and
// scb contains po and eco.
static void find_psc(const struct psc *p, uint32_t e) {
  const struct rsan_graph *graph = p->graph;
  uint32_t words = graph->words;
  uint64_t *row = p->psc + (uint64_t)e * words, *before = p->gone;
  rsan_host_memset(p->ends, 0, words * sizeof *row);
  rsan_row_add(p->ends, e);
  if (rsan_graph_is_fence_sc(&graph->event[e]))
    rsan_row_join(p->ends, rsan_graph_row(graph, e, RSAN_GRAPH_HB), words);
  for (uint32_t y = 0; (y = rsan_row_next(p->ends, words, y)) != RSAN_GRAPH_NONE; y++)
    rsan_row_join(row, find_scb(p, y), words);
  rsan_host_memcpy(before, row, words * sizeof *row);
  for (uint32_t y = 0; (y = rsan_row_next(row, words, y)) != RSAN_GRAPH_NONE; y++)
    rsan_row_join(before, rsan_graph_row(graph, y, RSAN_GRAPH_HB), words);
  keep_sc(graph, row, before);
  rsan_host_memset(before, 0, words * sizeof *row);
}

// Returns whether `of` contains every event of `row`.
static bool is_subset(const uint64_t *row, const uint64_t *of, uint32_t words) {
  for (uint32_t i = 0; i < words; i++)
    if (row[i] & ~of[i])
      return false;
  return true;
}

// Returns whether the relation has no cycle. Row i holds the events before event i. `gone` is
// scratch space, and must be zero.
static bool is_acyclic(const uint64_t *rows, uint64_t *gone, uint32_t count, uint32_t words) {
  for (uint32_t left = count, before = count + 1; left && left < before;) {
    before = left;
    for (uint32_t e = 0; e < count; e++)
      if (!rsan_row_has(gone, e) && is_subset(rows + (uint64_t)e * words, gone, words)) {
        rsan_row_add(gone, e);
        left--;
      }
    if (!left)
      return true;
  }
  return count == 0;
}

static bool is_psc_acyclic(const struct rsan_graph *graph) {
  uint64_t words = graph->words, count = graph->count;
  uint64_t *rows = rsan_new_zeroed((2 * count + 3) * words * sizeof *rows);
  uint64_t *sets = rows + 2 * count * words;
  struct psc p = {graph, rows, rows + count * words, sets, sets + words, sets + 2 * words};
  for (uint32_t e = 0; e < graph->count; e++)
    if (rsan_graph_is_sc_event(&graph->event[e]))
      find_psc(&p, e);
  bool acyclic = is_acyclic(p.psc, p.gone, graph->count, graph->words);
  rsan_host_free(rows);
  return acyclic;
}

bool rsan_graph_is_interleaving(const struct rsan_graph *graph) {
  uint32_t words = graph->words;
  uint64_t *rows = rsan_new_zeroed(((uint64_t)graph->count + 1) * words * sizeof *rows + 1);
  for (uint32_t e = 0; e < graph->count; e++) {
    join_po(graph, e, rows + (uint64_t)e * words);
    if (graph->event[e].op.object != RSAN_GRAPH_FENCES || !rsan_graph_is_fence_sc(&graph->event[e]))
      join_eco(graph, e, rows + (uint64_t)e * words);
  }
  bool acyclic = is_acyclic(rows, rows + (uint64_t)graph->count * words, graph->count, words);
  rsan_host_free(rows);
  return acyclic;
}

bool rsan_graph_is_ordered(const struct rsan_graph *graph) {
  if (graph->model == RSAN_GRAPH_SC)
    return rsan_graph_is_interleaving(graph);
  return graph->seq_csts < 2 || is_psc_acyclic(graph); // psc relates different events
}

bool rsan_graph_is_consistent(const struct rsan_graph *graph) {
  for (uint32_t e = 0; e < graph->count; e++)
    if (!rsan_graph_is_coherent(graph, e))
      return false;
  return rsan_graph_is_ordered(graph);
}

bool rsan_graph_find_race(const struct rsan_graph *graph, uint32_t *first, uint32_t *second) {
  for (uint32_t b = 0; b < graph->count; b++)
    for (uint32_t a = 0; a < b && rsan_graph_is_plain(&graph->event[b]); a++) {
      const struct rsan_graph_event *x = &graph->event[a], *y = &graph->event[b];
      bool writes = x->op.kind == RSAN_GRAPH_PLAIN_WRITE || y->op.kind == RSAN_GRAPH_PLAIN_WRITE;
      if (rsan_graph_is_plain(x) && x->op.object == y->op.object && writes &&
          !rsan_row_has(rsan_graph_row(graph, b, RSAN_GRAPH_HB), a)) {
        *first = a;
        *second = b;
        return true;
      }
    }
  return false;
}
