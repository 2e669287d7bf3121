// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps name events by their position, from 1. A thread's start and its end are no events: they
// stand for its creation and for its join.

#include "check.h"

#include <stdlib.h>

#include "core_order.h"

static bool writes(const struct trace_event *event) {
  switch (event->op) {
  case TRACE_STORE:
  case TRACE_FETCH_OP:
  case TRACE_EXCHANGE:
  case TRACE_BCAS:
    return true;
  case TRACE_WEAK_CAS:
  case TRACE_STRONG_CAS:
    return event->ok;
  default:
    return false;
  }
}

static bool reads(const struct trace_event *event) {
  return event->op != TRACE_STORE;
}

// Writes of the location at or before `at`, since it was allocated.
static uint64_t version_at(const struct trace *trace, uint32_t object, size_t at) {
  uint64_t version = 0;
  for (size_t i = 0; i <= at; i++) {
    const struct trace_event *event = &trace->events[i];
    if (event->object != object)
      continue;
    if (event->op == TRACE_ALLOC)
      version = 0;
    else if (trace_op_is_access(event->op) && writes(event))
      version++;
  }
  return version;
}

static size_t index_of_version(const struct trace *trace, uint32_t object, uint64_t version,
                               size_t before) {
  for (size_t i = before; i-- > 0;) {
    const struct trace_event *event = &trace->events[i];
    if (event->object == object && trace_op_is_access(event->op) && writes(event) &&
        version_at(trace, object, i) == version)
      return i;
  }
  return SIZE_MAX;
}

static bool allocated_between(const struct trace *trace, uint32_t object, size_t a, size_t b) {
  for (size_t i = a; i < b; i++)
    if (trace->events[i].op == TRACE_ALLOC && trace->events[i].object == object)
      return true;
  return false;
}

static enum rsan_order order_of(const struct trace_event *event) {
  bool failed = (event->op == TRACE_WEAK_CAS || event->op == TRACE_STRONG_CAS) && !event->ok;
  return core_order(failed ? event->failure : event->order);
}

// Is the step what the event is?
static const char *check_step(const struct trace *trace, const struct rsan_step *step, size_t at) {
  const struct trace_event *event = &trace->events[at];
  bool starts = step->kind == RSAN_STEP_START, finishes = step->kind == RSAN_STEP_FINISH;
  uint32_t thread = starts || finishes ? event->object : event->thread;
  if (step->owner != thread)
    return "a step in another thread than its event's";
  switch (step->kind) {
  case RSAN_STEP_ACCESS:
    if (!trace_op_is_checked(event->op))
      return "a step at an event that is no access";
    if (step->address != event->object)
      return "a step at another object than its event's";
    if (trace_op_is_access(event->op) && step->access != (!writes(event) ? RSAN_READ
                                                          : reads(event) ? RSAN_RMW
                                                                         : RSAN_WRITE))
      return "a step of another kind than its event";
    return step->order != order_of(event) ? "a step of another order than its event" : NULL;
  case RSAN_STEP_UNLOCK:
    return event->op != TRACE_UNLOCK ? "an unlock that is none" : NULL;
  case RSAN_STEP_LOCK:
    return event->op != TRACE_LOCK ? "a lock that is none" : NULL;
  case RSAN_STEP_CREATE:
  case RSAN_STEP_START:
    return event->op != TRACE_CREATE ? "a creation that is none" : NULL;
  case RSAN_STEP_FINISH:
  case RSAN_STEP_JOIN:
    return event->op != TRACE_JOIN ? "a join that is none" : NULL;
  }
  return "a step of no kind";
}

// The event at which each step is.
static const char *place_steps(const struct trace *trace, size_t flagged,
                               const struct rsan_violation *violation,
                               const struct rsan_explanation *why, size_t *at) {
  for (uint32_t i = 0; i < why->step_count; i++) {
    const struct rsan_step *step = &why->steps[i];
    uint64_t pc = step->pc;
    if (step->kind == RSAN_STEP_START && i > 0)
      pc = why->steps[i - 1].pc;
    else if (step->kind == RSAN_STEP_FINISH && i + 1 < why->step_count)
      pc = why->steps[i + 1].pc;
    size_t missed =
        index_of_version(trace, trace->events[flagged].object, violation->missed, flagged);
    at[i] = pc ? pc - 1 : i == 0 ? missed : SIZE_MAX;
    if (at[i] > flagged)
      return "a step that is no event of the run so far";
    if (i == 0 && at[0] != missed)
      return "the first step is not the missed write";
    const char *wrong = check_step(trace, step, at[i]);
    if (wrong)
      return wrong;
  }
  return at[why->step_count - 1] != flagged ? "the last step is not the flagged access" : NULL;
}

static const char *check_conflict(const struct trace *trace, enum rsan_step_edge edge, size_t a,
                                  size_t b) {
  const struct trace_event *from = &trace->events[a], *to = &trace->events[b];
  if (from->object != to->object || a >= b || allocated_between(trace, from->object, a, b))
    return "a conflict of different objects, or against the order of the run";
  if (!writes(from) && !writes(to))
    return "a conflict of two reads";
  uint64_t left = version_at(trace, from->object, a), found = version_at(trace, to->object, b);
  bool directly = reads(to) && writes(from) && left == found - writes(to);
  enum rsan_step_edge right = !writes(from) ? RSAN_FROM_READ
                              : directly    ? RSAN_READS_FROM
                                            : RSAN_MODIFICATION_ORDER;
  return edge != right ? "a conflict by another name" : NULL;
}

static const char *check_edge(const struct trace *trace, const struct rsan_step *steps,
                              const size_t *at, uint32_t i) {
  const struct rsan_step *from = &steps[i], *to = &steps[i + 1];
  if (from->to_next == RSAN_PROGRAM_ORDER) {
    bool later = at[i] < at[i + 1];
    // A thread's end may stand at the same event as the join that it is for, never as another step.
    return from->owner != to->owner || !later ? "program order that is none" : NULL;
  }
  if (from->to_next != RSAN_SYNCHRONISATION)
    return from->owner == to->owner ? "a conflict within a thread"
                                    : check_conflict(trace, from->to_next, at[i], at[i + 1]);
  bool mutex = from->kind == RSAN_STEP_UNLOCK && to->kind == RSAN_STEP_LOCK &&
               trace->events[at[i]].object == trace->events[at[i + 1]].object && at[i] < at[i + 1];
  bool creation =
      from->kind == RSAN_STEP_CREATE && to->kind == RSAN_STEP_START && at[i] == at[i + 1];
  bool end = from->kind == RSAN_STEP_FINISH && to->kind == RSAN_STEP_JOIN && at[i] == at[i + 1];
  return mutex || creation || end ? NULL : "synchronisation that is none";
}

const char *check_explanation(const struct trace *trace, size_t flagged,
                              const struct rsan_violation *violation,
                              const struct rsan_explanation *explanation) {
  size_t at[RSAN_STEPS_MAX];
  uint32_t count = explanation->step_count;
  if (count < 3 || count > RSAN_STEPS_MAX)
    return "too few steps for a cycle";
  const char *wrong = place_steps(trace, flagged, violation, explanation, at);
  for (uint32_t i = 0; !wrong && i + 1 < count; i++)
    wrong = check_edge(trace, explanation->steps, at, i);
  if (wrong)
    return wrong;
  const struct rsan_step *first = &explanation->steps[0], *last = &explanation->steps[count - 1];
  if (first->access == RSAN_READ || first->address != last->address ||
      allocated_between(trace, trace->events[flagged].object, at[0], flagged))
    return "the cycle does not close";
  if (last->to_next != (last->access == RSAN_WRITE ? RSAN_MODIFICATION_ORDER : RSAN_FROM_READ))
    return "the last edge has another name";
  return explanation->repair_count ? NULL : "no repair";
}

static enum trace_order trace_order_of(enum rsan_order order) {
  static const enum trace_order orders[] = {
      [RSAN_RELAXED] = TRACE_RLX, [RSAN_CONSUME] = TRACE_ACQ, [RSAN_ACQUIRE] = TRACE_ACQ,
      [RSAN_RELEASE] = TRACE_REL, [RSAN_ACQ_REL] = TRACE_AR,  [RSAN_SEQ_CST] = TRACE_SC};
  return orders[order];
}

// The event with its own order raised, and an SC fence of the same thread before or after it.
static void append_repaired(const struct trace_event *original, const struct rsan_repair *repair,
                            struct trace *to) {
  struct trace_event event = *original;
  struct trace_event fence = {.op = TRACE_FENCE, .thread = event.thread};
  if (!repair) {
    trace_append(to, &event);
    return;
  }
  fence.order = trace_order_of(repair->order);
  if (repair->kind == RSAN_REPAIR_ORDER) {
    bool failed = (event.op == TRACE_WEAK_CAS || event.op == TRACE_STRONG_CAS) && !event.ok;
    *(failed ? &event.failure : &event.order) = fence.order;
    trace_append(to, &event);
    return;
  }
  if (repair->before)
    trace_append(to, &fence);
  trace_append(to, &event);
  if (!repair->before)
    trace_append(to, &fence);
}

void check_repaired(const struct trace *trace, size_t flagged,
                    const struct rsan_explanation *explanation, uint32_t without,
                    struct trace *repaired) {
  trace_clear(repaired);
  repaired->threads = trace->threads;
  for (size_t i = 0; i <= flagged; i++) {
    const struct rsan_repair *repair = NULL;
    for (uint32_t r = 0; r < explanation->repair_count; r++)
      if (r != without && explanation->repairs[r].pc == i + 1)
        repair = &explanation->repairs[r];
    append_repaired(&trace->events[i], repair, repaired);
  }
}
