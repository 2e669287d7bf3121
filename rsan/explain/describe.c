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

struct rsan_step rsan_step_of(const struct rsan_log_entry *entry, uint32_t owner) {
  return (struct rsan_step){
      .kind = entry->step,
      .access = entry->kind <= RSAN_LOG_RMW ? (enum rsan_access_kind)entry->kind : RSAN_READ,
      .order = entry->order,
      .check = entry->check,
      .size = entry->size,
      .owner = owner,
      .pc = entry->pc,
      .caller = entry->caller,
      .address = entry->address,
  };
}

// The missed write as the location's history knows it. The edge from it, where it has left the log:
// within its thread, or at its location.
static struct rsan_step missed_step(const struct rsan_cycle *cycle) {
  const struct rsan_violation *violation = cycle->violation;
  const struct rsan_log_entry *to = &cycle->snapshot->entries[cycle->entry[1]];
  uint32_t owner = cycle->snapshot->threads[cycle->thread[1]].owner;
  const struct rsan_access access = {.kind = violation->plain ? RSAN_WRITE : RSAN_RMW,
                                     .check = RSAN_CHECK_WRITE,
                                     .order = violation->order,
                                     .size = cycle->access->size,
                                     .address = cycle->access->address};
  struct rsan_log_entry missed = rsan_log_access(&access, violation->object, violation->missed);
  struct rsan_step step = rsan_step_of(&missed, violation->owner);
  step.to_next = rsan_log_edge(&missed, to, owner == violation->owner);
  return step;
}

static struct rsan_step offending_step(const struct rsan_access *access, uint32_t owner) {
  struct rsan_log_entry entry = rsan_log_access(access, 0, 0);
  struct rsan_step step = rsan_step_of(&entry, owner);
  step.to_next = access->kind == RSAN_WRITE ? RSAN_MODIFICATION_ORDER : RSAN_FROM_READ;
  return step;
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
    steps[i] = rsan_step_of(&snapshot->entries[at[i]], snapshot->threads[thread[i]].owner);
    steps[i].to_next = i + 1 < count
                           ? rsan_log_edge(&snapshot->entries[at[i]], &snapshot->entries[at[i + 1]],
                                           thread[i] == thread[i + 1])
                           : RSAN_PROGRAM_ORDER;
  }
  steps[0].site = cycle->violation->site;
  steps[count] = offending_step(cycle->access, snapshot->threads[snapshot->own].owner);
  cycle->explanation->step_count = count + 1;
}
