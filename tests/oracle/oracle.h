// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The verdicts of a run by definition: Theorem 3.1 of Margalit, Kokologiannakis,
// Itzhaky, Lahav, "Dynamic Robustness Verification against Weak Memory" (PLDI
// 2025) over full relations. Slow and obvious; independent of the engine.
//
// How to read the signatures: the oracle first. It keeps the last trace's
// relations and may be used for any number of traces; a zeroed struct is ready
// for oracle_run, oracle_free returns its memory.
#ifndef RSAN_TESTS_ORACLE_ORACLE_H
#define RSAN_TESTS_ORACLE_ORACLE_H

#include "graph.h"

struct oracle {
  const struct trace *trace; // of the last run; not owned
  struct graph graph;
  struct graph_relations relations;
  struct relation before_hb; // row e: what precedes e's start by hb
  struct relation before_sc; // row e: likewise by hbSC
  struct relation scratch[2];
  struct trace_indices flags;
  struct trace_indices races;
};

// What a thread knows of a location just before an access (or a blocked
// arrival), as positions in modification order; 0 is the initial version.
struct oracle_view {
  int64_t tc;       // newest version known by happens-before
  int64_t tsc;      // newest version that every SC run puts before
  int64_t tc_plain; // the same two, counting plain writes only (the ^R form)
  int64_t tsc_plain;
};

// Fills flags and races. False: the trace is too long (GRAPH_MAX_NODES).
bool oracle_run(struct oracle *oracle, const struct trace *trace);
// Only whether the check of the trace's last event fails; flags and races are
// left empty.
bool oracle_last_flags(struct oracle *oracle, const struct trace *trace);
void oracle_free(struct oracle *oracle);

// Fills the graph and its relations only: for oracle_check and oracle_view. False as above.
bool oracle_derive(struct oracle *oracle, const struct trace *trace);

// After a run: what the check of operation `op`, expecting `expected`, says at an access or blocked
// arrival; `node` is the event's last one.
bool oracle_check(const struct oracle *oracle, uint32_t node, enum trace_op op, uint64_t expected);

// The view of a node with a check (an event's last node), after a run.
struct oracle_view oracle_view(const struct oracle *oracle, uint32_t node);
// T_val: newest version with value `value` (or, if `other`, with any other
// value) that a version known by hbSC has overwritten; -1 if there is none.
int64_t oracle_newest_overwritten(const struct oracle *oracle, uint32_t node, uint64_t value,
                                  bool other);
// T_val^R: of the versions with value `value` whose immediate overwriter is a
// plain write and known by hbSC, the newest, counted in plain writes; or -1.
int64_t oracle_newest_plainly_overwritten(const struct oracle *oracle, uint32_t node,
                                          uint64_t value);

#endif
