// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exploration of a small program: every consistent execution graph, or every
// SC interleaving. A graph is built event by event in an order that
// contains po and rf (which RC20 makes acyclic); an event may go to any place
// that the definition of consistency allows, and nothing else is assumed.
// Prefixes of consistent graphs are consistent, so inconsistent ones are cut.
#ifndef RSAN_TESTS_ORACLE_ENUMERATE_H
#define RSAN_TESTS_ORACLE_ENUMERATE_H

#include "graph.h"
#include "oracle.h"
#include "programs.h"

enum enumerate_mode {
  ENUMERATE_CONSISTENT, // the visitor sees each consistent graph once
  ENUMERATE_SC,         // ... each step of an interleaving, graphs merged:
                        // what follows equal graphs is explored once
  ENUMERATE_SC_ALL,     // ... each step of every interleaving
};

struct enumerate_state {
  const struct program *program;
  enum enumerate_mode mode;
  struct graph graph;               // includes the step visited
  struct graph_relations relations; // derived in mode CONSISTENT only
  struct trace trace;               // the steps, in the order taken
  uint32_t done[PROGRAM_MAX_THREADS];
  bool maximal; // no thread can go on
};

// Sees a state after a step; false ends the exploration.
typedef bool (*enumerate_visitor)(void *context, struct enumerate_state *state);

// False if the visitor ended it. *steps, if given, counts visits.
bool enumerate(const struct program *program, enum enumerate_mode mode, enumerate_visitor visit,
               void *context, uint64_t *steps);

// Mode CONSISTENT by another model than RC20: the visitor sees the graphs that `allowed` lets pass,
// and the model is one in which prefixes of what is allowed are allowed.
bool enumerate_allowed(const struct program *program, enumerate_visitor allowed,
                       enumerate_visitor visit, void *context, uint64_t *steps);

// The same where seq_cst accesses, and fences, are what psc makes of them.
bool enumerate_psc(const struct program *program, enum graph_seq_cst seq_cst,
                   enumerate_visitor visit, void *context, uint64_t *steps);

// The same with RC20's fences and C++20's seq_cst accesses.
bool enumerate_rc20(const struct program *program, enumerate_visitor visit, void *context,
                    uint64_t *steps);

// The same where a graph is one of an interleaving: rf, mo and po have no cycle with fr. Fences
// have no order.
bool enumerate_sc_graphs(const struct program *program, enumerate_visitor visit, void *context,
                         uint64_t *steps);

// Brute force: is there a consistent graph of the program that is not SC? The
// program has no seq_cst accesses; or they, and fences, are what psc makes of
// them: GRAPH_SC_CXX20 or GRAPH_SC_RC11.
bool enumerate_robust(const struct program *program, uint64_t *graphs);
bool enumerate_robust_psc(const struct program *program, enum graph_seq_cst seq_cst,
                          uint64_t *graphs);
// Of C++20's seq_cst accesses and RC20's fences, which are ordered by f.
bool enumerate_robust_rc20(const struct program *program, uint64_t *graphs);
// Does the oracle flag a step of some interleaving?
bool enumerate_flagged(const struct program *program, struct oracle *oracle, uint64_t *steps);
// Complete interleavings, and those in which some step is flagged.
void enumerate_count(const struct program *program, struct oracle *oracle, uint64_t *flagged,
                     uint64_t *all);

// One way for an operation to take effect on a graph.
struct placement {
  struct trace_event event; // the operation with its outcome
  struct graph_node node;
  size_t position; // in modification order, if it writes
};

// The candidates for version `version` of the operation's location as the one
// read, or written upon; at most 2 (a weak compare-exchange may fail either
// way). Values decide; consistency is not looked at.
size_t placements_at(const struct graph *graph, const struct trace_event *op, size_t version,
                     struct placement out[2]);

// The semantic meaning of the check of event `index`: could it, by that
// thread's next operation, become an RC20-consistent extension of the run
// before it that is not SC? Used to test the table of checks.
bool placements_violate(const struct trace *trace, size_t index, enum graph_seq_cst seq_cst);
// The same by C++20: seq_cst accesses are events of psc, and fences have no order but by it.
bool placements_violate_cxx20(const struct trace *trace, size_t index);

#endif
