// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Is a graph consistent, when it was before its last event? docs/internals/GRAPHS.md has the axioms
// and says which function answers for which. Nothing here changes a graph; any number of threads
// may ask about the same one.

#ifndef RSAN_GRAPH_CONSISTENT_H
#define RSAN_GRAPH_CONSISTENT_H

#include "graph.h"

// Returns the least place of a write that the event may read: coherence excludes those before it.
uint32_t rsan_graph_known(const struct rsan_graph *graph, uint32_t event);

// Checks COHERENCE and ATOMICITY for the event: for what it reads, and for what it writes if that
// has a place in the modification order.
// The rest of the graph must be coherent, and no event may happen after this one.
bool rsan_graph_is_coherent(const struct rsan_graph *graph, uint32_t event);

// Checks the model's condition on the whole graph: psc is acyclic, or, for RSAN_GRAPH_SC,
// po ∪ rf ∪ mo ∪ fr is. Each write must have a place.
bool rsan_graph_is_ordered(const struct rsan_graph *graph);

// Is po ∪ rf ∪ mo ∪ fr acyclic: is the graph one of an interleaving?
bool rsan_graph_is_interleaving(const struct rsan_graph *graph);

// Checks COHERENCE and ATOMICITY of every event, and the model's order. The caller need not know
// anything about the graph.
bool rsan_graph_is_consistent(const struct rsan_graph *graph);

// Finds a data race: two accesses of one object that are not atomic, at least one of them a write,
// neither before the other in HB. Returns false if there is none.
bool rsan_graph_find_race(const struct rsan_graph *graph, uint32_t *first, uint32_t *second);

#endif
