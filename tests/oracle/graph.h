// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Execution graphs of RC20 (RC11 with C++20's release sequences) and their
// relations, as definitions: no clocks, no counters.
//
// Nodes are numbered in an order that contains po and rf, the order in which a
// run or an enumeration adds them. The initial write of a location is not a
// node: it is version 0, GRAPH_INITIAL as the source of a read.
//
// An SC fence is fence(acq); FADD(f, 0, acq_rel); fence(rel) on a location f
// of its own. One node stands for the three: they follow one another in po,
// nothing enters at the last or leaves at the first, so merging them keeps
// every path between other nodes. RMWs on f that are atomic form one chain:
// graph.fences. That chain is part of happens-before only; f is no location
// of the program and has no rf, mo or fr here.
//
// How to read the signatures: the graph first, results last. A zeroed struct
// is an empty graph.
#ifndef RSAN_TESTS_ORACLE_GRAPH_H
#define RSAN_TESTS_ORACLE_GRAPH_H

#include "relation.h"
#include "trace.h"

#define GRAPH_INITIAL   UINT32_MAX
#define GRAPH_MAX_NODES 8192 // relations are quadratic; more is refused

// What a seq_cst access is.
enum graph_seq_cst {
  GRAPH_SC_FENCE,   // an SC fence, and the acquire/release access after it
  GRAPH_SC_ACQ_REL, // the acquire/release access
  GRAPH_SC_CXX20,   // an event of psc (graph_psc.c), by C++20's text
  GRAPH_SC_RC11,    // the same by Lahav et al., PLDI 2017
};

enum graph_kind {
  GRAPH_READ,
  GRAPH_WRITE,
  GRAPH_RMW,
  GRAPH_FENCE,
  GRAPH_PLAIN_READ,
  GRAPH_PLAIN_WRITE,
  GRAPH_OTHER, // locks, creation, blocked arrivals ...: only po and sync
};

struct graph_node {
  enum graph_kind kind;
  uint32_t thread;
  uint32_t location; // atomic and non-atomic ones are numbered apart
  bool acquire;
  bool release;
  bool sc;        // fences; accesses where they are events of psc
  uint32_t rf;    // reads and RMWs: node read from, or GRAPH_INITIAL
  uint64_t value; // written, by writes and RMWs
  uint32_t event; // index in the trace or program, the owner's business
};

struct graph_list {
  uint32_t *at;
  size_t count;
  size_t capacity;
};

struct graph_edge {
  uint32_t from, to;
};

struct graph {
  struct graph_node *nodes;
  size_t count;
  size_t capacity;
  struct graph_list *mo; // per atomic location: writes, oldest first
  size_t locations;
  size_t locations_capacity;
  struct graph_list fences; // SC fences in the order of f
  enum graph_seq_cst seq_cst;
  // The order of f is no part of happens-before: psc says what orders fences.
  bool fences_unordered;
  struct graph_edge *edges; // creation, join, mutexes: hb and hbSC
  size_t edge_count;
  size_t edge_capacity;
};

struct graph_relations {
  struct relation po, sync, rf, mo, fr, sw, hb, hbsc, eco, psc;
  struct relation scratch[4];
};

static inline bool graph_reads(enum graph_kind kind) {
  return kind == GRAPH_READ || kind == GRAPH_RMW;
}

static inline bool graph_writes(enum graph_kind kind) {
  return kind == GRAPH_WRITE || kind == GRAPH_RMW;
}

void graph_free(struct graph *graph);
void graph_clear(struct graph *graph); // but for seq_cst, fences_unordered
// Makes atomic location `location` exist.
void graph_need_location(struct graph *graph, uint32_t location);
// Adds a node; a write becomes version `position` (from 1) of its location
// and moves later versions up. An SC fence becomes the last of the chain.
uint32_t graph_add(struct graph *graph, const struct graph_node *node, size_t position);
void graph_remove_last(struct graph *graph);
void graph_add_edge(struct graph *graph, uint32_t from, uint32_t to);
// Position of a write in its location's modification order, from 1.
size_t graph_position(const struct graph *graph, uint32_t node);
// Position of the version that a read or RMW reads, 0 for the initial one.
size_t graph_read_position(const struct graph *graph, uint32_t node);

// po, sync, rf, mo, fr, sw, hb and hbSC of the graph.
void graph_derive(const struct graph *graph, struct graph_relations *out);
// po, sync, sw and hb alone, where rf is there already: the rest is the caller's (mixed.h).
void graph_derive_order(const struct graph *graph, struct graph_relations *out);
void graph_relations_free(struct graph_relations *relations);
// Both use derived relations. RC20: hb irreflexive, COHERENCE (hb; eco
// irreflexive), ATOMICITY (fr; mo irreflexive), po ∪ rf acyclic; psc acyclic
// where seq_cst accesses or unordered fences are its events.
bool graph_consistent(const struct graph *graph, struct graph_relations *r);
// hbSC irreflexive.
bool graph_is_sc(const struct graph_relations *r);

// graph_psc.c: psc is acyclic. After graph_consistent's eco.
bool graph_psc_acyclic(const struct graph *graph, struct graph_relations *r);

// graph_trace.c: the graph of a run; out->seq_cst says what a seq_cst access is. False: too many
// events.
bool graph_from_trace(const struct trace *trace, struct graph *out);
// Kind, orders and value of an access or fence; the rest is left alone. With
// GRAPH_SC_FENCE an access of order sc needs its fence node added before.
void graph_node_set(struct graph_node *node, const struct trace_event *event);

#endif
