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
  static const enum rsan_access_kind kinds[] = {
      [RSAN_LOG_READ] = RSAN_READ, [RSAN_LOG_WRITE] = RSAN_WRITE, [RSAN_LOG_RMW] = RSAN_RMW};
  struct rsan_step step = {
      .kind = entry->step,
      .order = entry->order,
      .check = entry->check,
      .size = entry->size,
      .owner = owner,
      .pc = entry->pc,
      .caller = entry->caller,
      .address = entry->address,
  };
  if (entry->kind <= RSAN_LOG_RMW)
    step.access = kinds[entry->kind];
  return step;
}

// The missed write as the location's history knows it.
static struct rsan_step missed_step(const struct rsan_access *access,
                                    const struct rsan_violation *violation) {
  return (struct rsan_step){
      .kind = RSAN_STEP_ACCESS,
      .access = violation->plain ? RSAN_WRITE : RSAN_RMW,
      .check = RSAN_CHECK_WRITE,
      .order = violation->order,
      .size = access->size,
      .owner = violation->owner,
      .address = access->address,
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

// The edge from a missed write that has left the log: within its thread, or at its location.
static enum rsan_step_edge edge_of_missed(const struct rsan_violation *violation,
                                          const struct rsan_log_entry *to, uint32_t owner) {
  struct rsan_log_entry missed = {.kind = RSAN_LOG_WRITE, .number = violation->missed};
  return rsan_log_edge(&missed, to, owner == violation->owner);
}

void rsan_describe_cycle(const struct rsan_log_snapshot *snapshot, const struct rsan_path *path,
                         const struct rsan_access *access, const struct rsan_violation *violation,
                         struct rsan_explanation *explanation) {
  struct rsan_step *steps = explanation->steps;
  explanation->step_count = path->count + 1;
  for (uint32_t i = 0; i < path->count; i++) {
    const struct rsan_log_entry *next =
        i + 1 < path->count ? &snapshot->entries[path->entry[i + 1]] : 0;
    if (path->entry[i] == RSAN_NOT_LOGGED) {
      steps[i] = missed_step(access, violation);
      steps[i].to_next =
          edge_of_missed(violation, next, snapshot->threads[path->thread[i + 1]].owner);
      continue;
    }
    const struct rsan_log_entry *entry = &snapshot->entries[path->entry[i]];
    steps[i] = rsan_step_of(entry, snapshot->threads[path->thread[i]].owner);
    steps[i].to_next = next ? rsan_log_edge(entry, next, path->thread[i] == path->thread[i + 1])
                            : RSAN_PROGRAM_ORDER;
  }
  steps[0].site = violation->site;
  steps[path->count] = offending_step(access, snapshot->threads[snapshot->own].owner);
}
