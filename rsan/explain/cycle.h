// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The critical cycle of a violation: a shortest path of hbSC, by number of accesses, from the
// missed write to the offending access, in a snapshot of the logs. A pure function. Edges are those
// that the entries prove by themselves (docs/internals/MODEL.md section 6); none is guessed.

#ifndef RSAN_EXPLAIN_CYCLE_H
#define RSAN_EXPLAIN_CYCLE_H

#include "../violation.h"
#include "log.h"

#define RSAN_NOT_LOGGED UINT32_MAX

// An access that violates robustness, and the path in the snapshot's entries: from the missed write
// (RSAN_NOT_LOGGED if it is not there) to the last entry before the access, which is not there.
struct rsan_cycle {
  const struct rsan_log_snapshot *snapshot;
  const struct rsan_access *access;
  const struct rsan_violation *violation;
  struct rsan_explanation *explanation;
  uint32_t count;
  uint32_t thread[RSAN_STEPS_MAX], entry[RSAN_STEPS_MAX];
};

enum rsan_explained rsan_find_path(struct rsan_cycle *cycle);

// The edge between two entries; only for those that have one.
enum rsan_step_edge rsan_log_edge(const struct rsan_log_entry *from,
                                  const struct rsan_log_entry *to, bool same_thread);

// These fill in the steps of the explanation, the repairs (repair.c), their siblings (siblings.c).
void rsan_describe_cycle(const struct rsan_cycle *cycle);
void rsan_propose_repairs(const struct rsan_cycle *cycle);
void rsan_find_siblings(const struct rsan_cycle *cycle);

// What the log knows of a step; its edge is left out.
struct rsan_step rsan_step_of(const struct rsan_log_entry *entry, uint32_t owner);
// Is there a fence with the halves of the order `wanted` in entries[first .. end)? With
// seq_cst=fence a seq_cst access has an SC fence before it. (Otherwise it may order the same, but
// need not.)
bool rsan_log_fences(const struct rsan_log_snapshot *snapshot, uint32_t first, uint32_t end,
                     enum rsan_order wanted);

#endif
