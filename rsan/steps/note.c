// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "note.h"

#include "../explain/cycle.h"
#include "../host.h"

void rsan_note_fence(const struct rsan_thread *thread, enum rsan_order order) {
  if (!thread->log || thread->log->last_fence == order)
    return;
  struct rsan_log_entry entry = {.kind = RSAN_LOG_FENCE, .order = (uint8_t)order};
  rsan_log_append(thread->log, &entry);
}

void rsan_note_edge(const struct rsan_thread *thread, enum rsan_step_kind step, uint64_t object,
                    uint64_t number) {
  if (!thread->log || !object)
    return;
  bool releases = step == RSAN_STEP_UNLOCK || step == RSAN_STEP_CREATE || step == RSAN_STEP_FINISH;
  struct rsan_log_entry entry = {.object = object,
                                 .number = number,
                                 .kind = releases ? RSAN_LOG_RELEASE : RSAN_LOG_ACQUIRE,
                                 .step = (uint8_t)step};
  if (step != RSAN_STEP_START && step != RSAN_STEP_FINISH) { // those have no call of the program's
    entry.pc = thread->at.pc;
    entry.caller = thread->at.caller;
    entry.address = thread->at.address;
  }
  rsan_log_append(thread->log, &entry);
}

static uint64_t new_object(const struct rsan_thread *thread) {
  return rsan_log_object(&thread->engine->logs, thread->log);
}

void rsan_note_create(const struct rsan_thread *creator, const struct rsan_thread *thread) {
  uint64_t object = new_object(creator);
  rsan_note_edge(creator, RSAN_STEP_CREATE, object, 1);
  rsan_note_edge(thread, RSAN_STEP_START, object, 1);
}

void rsan_note_end(const struct rsan_thread *thread) {
  thread->end->object = new_object(thread);
  rsan_note_edge(thread, RSAN_STEP_FINISH, thread->end->object, 1);
}

void rsan_note_unlock(const struct rsan_thread *thread, struct rsan_sync *sync, bool anew) {
  if (!anew && thread->log && sync->object && thread->log->last_released == sync->object)
    return;
  if (!sync->object) {
    sync->object = new_object(thread);
    sync->releases = 0;
  }
  rsan_note_edge(thread, RSAN_STEP_UNLOCK, sync->object, ++sync->releases);
}

void rsan_explain(const struct rsan_thread *thread, const struct rsan_access *access,
                  const struct rsan_violation *violation, struct rsan_explanation *explanation) {
  explanation->state = RSAN_UNEXPLAINED;
  explanation->history = thread->engine->logs.room;
  explanation->step_count = explanation->repair_count = explanation->sibling_count = 0;
  explanation->siblings_missing = false;
  if (!thread->log)
    return;
  struct rsan_log_snapshot snapshot;
  rsan_log_snapshot(&thread->engine->logs, thread->log, violation->position, &snapshot);
  snapshot.accesses_fence = thread->engine->options.seq_cst == RSAN_SEQ_CST_FENCE;
  struct rsan_cycle cycle = {&snapshot, access, violation, explanation, .count = 0};
  explanation->state = rsan_find_path(&cycle);
  if (explanation->state == RSAN_EXPLAINED) {
    rsan_describe_cycle(&cycle);
    rsan_propose_repairs(&cycle);
    rsan_find_siblings(&cycle);
    RSAN_COUNT(&thread->engine->counters, explained);
  } else {
    RSAN_COUNT(&thread->engine->counters, unexplained);
  }
  rsan_log_snapshot_clear(&snapshot);
}
