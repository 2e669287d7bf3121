// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "../host.h"
#include "cycle.h"

const char *rsan_step_edge_name(enum rsan_step_edge edge) {
  static const char *const names[] = {
      [RSAN_PROGRAM_ORDER] = "program order",           [RSAN_READS_FROM] = "reads-from",
      [RSAN_MODIFICATION_ORDER] = "modification order", [RSAN_FROM_READ] = "from-read",
      [RSAN_SYNCHRONISATION] = "synchronisation",
  };
  return names[edge];
}

void rsan_explanation_place(struct rsan_explanation *explanation, uint64_t pc, uint64_t caller) {
  if (!explanation->step_count || explanation->steps[0].pc)
    return;
  explanation->steps[0].pc = pc;
  explanation->steps[0].caller = caller;
  for (uint32_t i = 0; i < explanation->repair_count; i++)
    if (explanation->repairs[i].step == 0)
      explanation->repairs[i].pc = pc;
}

struct rsan_step rsan_step_of(const struct rsan_log_snapshot *snapshot, uint32_t entry,
                              uint32_t thread) {
  const struct rsan_log_entry *what = &snapshot->entries[entry];
  struct rsan_step step = {
      .kind = what->step,
      .order = what->order,
      .check = what->check,
      .size = what->size,
      .owner = snapshot->threads[thread].owner,
      .pc = what->pc,
      .caller = what->caller,
      .address = what->address,
  };
  if (what->kind <= RSAN_LOG_RMW)
    step.access = (enum rsan_access_kind)what->kind;
  return step;
}

// The missed write as the location's history knows it. The edge from it, where it has left the log:
// within its thread, or at its location.
static struct rsan_step missed_step(const struct rsan_cycle *cycle) {
  const struct rsan_violation *violation = cycle->violation;
  const struct rsan_log_entry *to = &cycle->snapshot->entries[cycle->entry[1]];
  uint32_t owner = cycle->snapshot->threads[cycle->thread[1]].owner;
  struct rsan_log_entry missed = {.kind = RSAN_LOG_WRITE, .number = violation->missed};
  return (struct rsan_step){
      .kind = RSAN_STEP_ACCESS,
      .access = violation->plain ? RSAN_WRITE : RSAN_RMW,
      .check = RSAN_CHECK_WRITE,
      .order = violation->order,
      .to_next = rsan_log_edge(&missed, to, owner == violation->owner),
      .size = cycle->access->size,
      .owner = violation->owner,
      .address = cycle->access->address,
  };
}

static struct rsan_step offending_step(const struct rsan_access *access, uint32_t owner) {
  return (struct rsan_step){
      .kind = RSAN_STEP_ACCESS,
      .access = access->kind,
      .check = access->check,
      .order = access->order,
      .to_next = access->kind == RSAN_WRITE ? RSAN_MODIFICATION_ORDER : RSAN_FROM_READ,
      .size = access->size,
      .owner = owner,
      .pc = access->pc,
      .caller = access->caller,
      .address = access->address,
  };
}

void rsan_describe_cycle(const struct rsan_cycle *cycle) {
  const struct rsan_log_snapshot *snapshot = cycle->snapshot;
  struct rsan_step *steps = cycle->explanation->steps;
  uint32_t count = cycle->count;
  const uint32_t *at = cycle->entry, *thread = cycle->thread;
  for (uint32_t i = 0; i < count; i++) {
    if (at[i] == RSAN_NOT_LOGGED) {
      steps[i] = missed_step(cycle);
      continue;
    }
    steps[i] = rsan_step_of(snapshot, at[i], thread[i]);
    steps[i].to_next = i + 1 < count
                           ? rsan_log_edge(&snapshot->entries[at[i]], &snapshot->entries[at[i + 1]],
                                           thread[i] == thread[i + 1])
                           : RSAN_PROGRAM_ORDER;
  }
  steps[0].site = cycle->violation->site;
  steps[count] = offending_step(cycle->access, snapshot->threads[snapshot->own].owner);
  cycle->explanation->step_count = count + 1;
}
