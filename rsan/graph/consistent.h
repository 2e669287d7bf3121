// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Is a graph consistent, when it was before its last event? docs/internals/GRAPHS.md has the axioms
// and says which function answers for which. Nothing here changes a graph; any number of threads
// may ask about the same one.

#ifndef RSAN_GRAPH_CONSISTENT_H
#define RSAN_GRAPH_CONSISTENT_H

#include "graph.h"

// The least place of a write that the event may read. It has the same object as others in HB.
uint32_t rsan_graph_known(const struct rsan_graph *graph, uint32_t event);

// COHERENCE and ATOMICITY of what the event reads, and of its write, if that has a place. All else
// of the graph is coherent, and no event happens after this one.
bool rsan_graph_is_coherent(const struct rsan_graph *graph, uint32_t event);

// What the model asks of the whole graph: psc is acyclic, or, for RSAN_GRAPH_SC, po ∪ rf ∪ mo ∪ fr
// is. Each write has a place.
bool rsan_graph_is_ordered(const struct rsan_graph *graph);

// Is po ∪ rf ∪ mo ∪ fr acyclic: is the graph one of an interleaving?
bool rsan_graph_is_interleaving(const struct rsan_graph *graph);

// COHERENCE, ATOMICITY and the model's order of a graph of which nothing is known.
bool rsan_graph_is_consistent(const struct rsan_graph *graph);

// Two accesses that are not atomic, of the same object and by different threads, at least one of
// them a write, neither of which happens before the other: a data race. False: there is none.
bool rsan_graph_find_race(const struct rsan_graph *graph, uint32_t *first, uint32_t *second);

#endif
