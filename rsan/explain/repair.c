// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What breaks a critical cycle: docs/internals/MODEL.md section 6, at its end. A stretch of the
// cycle is a longest run of steps along program order and synchronisation; between stretches it
// goes along conflicts.

#include "../host.h"
#include "cycle.h"

bool rsan_log_fences(const struct rsan_log_snapshot *snapshot, uint32_t first, uint32_t end,
                     enum rsan_order wanted) {
  for (const struct rsan_log_entry *at = &snapshot->entries[first]; first < end; at++, first++) {
    enum rsan_order order = at->order;
    bool has = wanted == RSAN_SEQ_CST   ? order == RSAN_SEQ_CST
               : wanted == RSAN_ACQUIRE ? rsan_order_acquires(order)
                                        : rsan_order_releases(order);
    if (at->kind == RSAN_LOG_FENCE ? has : snapshot->accesses_fence && order == RSAN_SEQ_CST)
      return true;
  }
  return false;
}

// The same between steps i and i + 1, of one thread.
static bool is_fenced(const struct rsan_cycle *cycle, uint32_t i, enum rsan_order wanted) {
  const struct rsan_log_snapshot *snapshot = cycle->snapshot;
  const struct rsan_step *steps = cycle->explanation->steps;
  if (steps[i].to_next != RSAN_PROGRAM_ORDER)
    return false;
  bool last = i + 1 == cycle->count, logged = cycle->entry[i] != RSAN_NOT_LOGGED;
  uint32_t end = last ? snapshot->threads[snapshot->own].end : cycle->entry[i + 1] + 1;
  uint32_t first = logged ? cycle->entry[i] + 1 : snapshot->threads[cycle->thread[i + 1]].first;
  return rsan_log_fences(snapshot, first, end, wanted) ||
         (last && snapshot->accesses_fence && steps[i + 1].order == RSAN_SEQ_CST);
}

static bool is_conflict(const struct rsan_step *step) {
  return step->to_next != RSAN_PROGRAM_ORDER && step->to_next != RSAN_SYNCHRONISATION;
}

// Threads that run the same code need it once.
static void add_repair(struct rsan_explanation *explanation, enum rsan_repair_kind kind,
                       bool before, uint32_t step, enum rsan_order order) {
  uint64_t pc = explanation->steps[step].pc;
  for (uint32_t i = 0; i < explanation->repair_count; i++) {
    const struct rsan_repair *repair = &explanation->repairs[i];
    if (pc && repair->pc == pc && repair->order == order && repair->before == before)
      return;
  }
  explanation->repairs[explanation->repair_count++] =
      (struct rsan_repair){.kind = kind, .before = before, .order = order, .step = step, .pc = pc};
}

static bool is_of_kernel(const struct rsan_step *step) {
  return step->kind == RSAN_STEP_ACCESS && rsan_is_of_kernel(step->check);
}

static void propose_fences(const struct rsan_cycle *cycle) {
  struct rsan_explanation *explanation = cycle->explanation;
  for (uint32_t first = 0, end; first < explanation->step_count; first = end + 1) {
    bool fenced = false;
    for (end = first; !is_conflict(&explanation->steps[end]); end++)
      fenced |= is_fenced(cycle, end, RSAN_SEQ_CST);
    // Nothing can be put into the kernel: the fence comes before the access of the program.
    bool before = is_of_kernel(&explanation->steps[first]);
    if (end > first && !fenced)
      add_repair(explanation, RSAN_REPAIR_FENCE, before, before ? end : first, RSAN_SEQ_CST);
  }
}

// The step from which on the offending access must know: the last one at the violated location.
static uint32_t last_at_location(const struct rsan_cycle *cycle) {
  uint32_t step = cycle->count - 1;
  while (step > 0 &&
         cycle->snapshot->entries[cycle->entry[step]].object != cycle->violation->object)
    step--;
  return step;
}

static enum rsan_order raised(const struct rsan_step *step, bool acquires, bool releases) {
  acquires = (acquires || rsan_order_acquires(step->order)) && step->access != RSAN_WRITE;
  releases = (releases || rsan_order_releases(step->order)) && step->access != RSAN_READ;
  return step->order == RSAN_SEQ_CST ? RSAN_SEQ_CST
         : acquires && releases      ? RSAN_ACQ_REL
         : releases                  ? RSAN_RELEASE
         : acquires                  ? RSAN_ACQUIRE
                                     : step->order;
}

static void propose_orders(const struct rsan_cycle *cycle) {
  struct rsan_explanation *explanation = cycle->explanation;
  uint32_t from = last_at_location(cycle);
  for (uint32_t i = from; i + 1 < explanation->step_count; i++)
    if (is_conflict(&explanation->steps[i]) && explanation->steps[i].to_next != RSAN_READS_FROM)
      return;
  for (uint32_t i = from; i < explanation->step_count; i++) {
    const struct rsan_step *step = &explanation->steps[i];
    bool last = i + 1 == explanation->step_count;
    bool acquires = i > from && explanation->steps[i - 1].to_next == RSAN_READS_FROM;
    bool releases = !last && step->to_next == RSAN_READS_FROM;
    if (acquires && releases)
      continue; // a read-modify-write within the release sequence
    if ((acquires && is_fenced(cycle, i, RSAN_ACQUIRE)) ||
        (releases && i > from && is_fenced(cycle, i - 1, RSAN_RELEASE)))
      continue;
    enum rsan_order order = raised(step, acquires, releases);
    if (step->kind != RSAN_STEP_ACCESS || (!acquires && !releases) || order == step->order)
      continue;
    if (is_of_kernel(step)) { // its order is what it is
      explanation->repair_count = 0;
      return;
    }
    add_repair(explanation, RSAN_REPAIR_ORDER, false, i, order);
  }
}

void rsan_propose_repairs(const struct rsan_cycle *cycle) {
  propose_orders(cycle);
  if (!cycle->explanation->repair_count)
    propose_fences(cycle);
}
