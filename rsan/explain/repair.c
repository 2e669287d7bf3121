// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What breaks a critical cycle.
//
// A stretch of the cycle is a longest run of steps along program order and synchronisation; between
// stretches the cycle goes along conflicts. An SC fence in each stretch of more than one step
// forbids the cycle in RC20: each conflict takes from one fence to the next, so that they would
// have to be ordered in a circle.
//
// From the last access of the violated location on, a cycle whose conflicts are reads-from alone
// needs no fence: with release and acquire along them that access happens before the offending
// one, which coherence then forbids to miss it.

#include "../host.h"
#include "cycle.h"

static bool fences(enum rsan_order fence, enum rsan_order wanted) {
  return wanted == RSAN_SEQ_CST   ? fence == RSAN_SEQ_CST
         : wanted == RSAN_ACQUIRE ? rsan_order_acquires(fence)
                                  : rsan_order_releases(fence);
}

// Is there a fence of that kind between steps i and i + 1, of one thread? With seq_cst=fence a
// seq_cst access has an SC fence before it. (Otherwise it may order the same, but need not.)
static bool is_fenced(const struct rsan_cycle *cycle, uint32_t i, enum rsan_order wanted) {
  const struct rsan_log_snapshot *snapshot = cycle->snapshot;
  const struct rsan_step *steps = cycle->explanation->steps;
  if (steps[i].to_next != RSAN_PROGRAM_ORDER)
    return false;
  bool last = i + 1 == cycle->count, logged = cycle->entry[i] != RSAN_NOT_LOGGED;
  uint32_t end = last ? snapshot->threads[snapshot->own].end : cycle->entry[i + 1] + 1;
  uint32_t at = logged ? cycle->entry[i] + 1 : snapshot->threads[cycle->thread[i + 1]].first;
  for (; at < end; at++) {
    const struct rsan_log_entry *entry = &snapshot->entries[at];
    bool fence = entry->kind == RSAN_LOG_FENCE
                     ? fences(entry->order, wanted)
                     : snapshot->accesses_fence && entry->order == RSAN_SEQ_CST;
    if (fence)
      return true;
  }
  return last && snapshot->accesses_fence && steps[i + 1].order == RSAN_SEQ_CST;
}

static bool is_conflict(const struct rsan_step *step) {
  return step->to_next != RSAN_PROGRAM_ORDER && step->to_next != RSAN_SYNCHRONISATION;
}

// Threads that run the same code need it once.
static void add_repair(struct rsan_explanation *explanation, enum rsan_repair_kind kind,
                       uint32_t step, enum rsan_order order) {
  uint64_t pc = explanation->steps[step].pc;
  for (uint32_t i = 0; i < explanation->repair_count; i++)
    if (pc && explanation->repairs[i].pc == pc && explanation->repairs[i].order == order)
      return;
  explanation->repairs[explanation->repair_count++] =
      (struct rsan_repair){.kind = kind, .order = order, .step = step, .pc = pc};
}

static void propose_fences(const struct rsan_cycle *cycle) {
  struct rsan_explanation *explanation = cycle->explanation;
  for (uint32_t first = 0, end; first < explanation->step_count; first = end + 1) {
    bool fenced = false;
    for (end = first; !is_conflict(&explanation->steps[end]); end++)
      fenced |= is_fenced(cycle, end, RSAN_SEQ_CST);
    if (end > first && !fenced)
      add_repair(explanation, RSAN_REPAIR_FENCE, first, RSAN_SEQ_CST);
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
    if (step->kind == RSAN_STEP_ACCESS && (acquires || releases) && order != step->order)
      add_repair(explanation, RSAN_REPAIR_ORDER, i, order);
  }
}

void rsan_propose_repairs(const struct rsan_cycle *cycle) {
  propose_orders(cycle);
  if (!cycle->explanation->repair_count)
    propose_fences(cycle);
}
