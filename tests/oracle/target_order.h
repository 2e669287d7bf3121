// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The models' own part: which pairs of a graph's nodes a machine orders.
#ifndef RSAN_TESTS_ORACLE_TARGET_ORDER_H
#define RSAN_TESTS_ORACLE_TARGET_ORDER_H

#include "graph.h"

// target_arm.c. ARMv8's order, not closed, of programs: a relation over three times the nodes.
struct target_arm {
  bool ldar; // an acquire load is LDAR; else LDAPR
  bool lse;  // read-modify-writes are LSE's; else exclusives
  bool every_read_acquires;
};
void target_order_arm(const struct target_arm *arm, const struct graph *graph,
                      const struct trace *trace, const struct graph_relations *relations,
                      struct relation *out);

void target_order_arm_sync(const struct target_arm *arm, const struct graph *graph,
                           const struct trace *trace, const struct graph_relations *relations,
                           struct relation *out);
// Node e: the start of an access or blocked arrival that only reads; n + e: of one that writes.
void target_enter_arm(const struct target_arm *arm, const struct graph *graph,
                      const struct trace *trace, const struct graph_relations *relations,
                      struct relation *out);

// target_tso.c. x86-TSO's global order, not closed: program order but for a store and a later load
// with no fence in between, reads-from between threads, modification order, from-read,
// synchronisation.
void target_order_tso(const struct graph *graph, const struct trace *trace,
                      const struct graph_relations *relations, struct relation *out);
// What orders the start of each access or blocked arrival: program order and creation.
void target_enter_tso(const struct graph *graph, const struct trace *trace,
                      const struct graph_relations *relations, struct relation *out);

#endif
