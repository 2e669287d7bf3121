// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What engine, fast and steps note in the logs of recent accesses (explain/log.h). Each is called
// by the thread itself, under the lock that covers what it notes, after the update. Nothing is
// noted where no logs are kept.

#ifndef RSAN_STEPS_NOTE_H
#define RSAN_STEPS_NOTE_H

#include "types.h"

static inline void rsan_note_access(const struct rsan_thread *thread,
                                    const struct rsan_location *location,
                                    const struct rsan_access *access) {
  if (!thread->log)
    return;
  bool fences =
      access->order == RSAN_SEQ_CST && thread->engine->options.seq_cst == RSAN_SEQ_CST_FENCE;
  if (access->kind == RSAN_READ && !fences &&
      rsan_log_repeats(thread->log, location->object, location->history.newest))
    return;
  struct rsan_log_entry entry = rsan_log_access(access, location->object, location->history.newest);
  if (entry.kind > RSAN_LOG_RMW)
    __builtin_unreachable(); // so that rsan_log_append, inlined, does not test for fences and
                             // releases
  rsan_log_append(thread->log, &entry);
}

void rsan_note_fence(const struct rsan_thread *thread, enum rsan_order order);
void rsan_note_create(const struct rsan_thread *creator, const struct rsan_thread *thread);
void rsan_note_end(const struct rsan_thread *thread);
// Notes nothing if the unlock released nothing new (`anew` is false) and the thread's newest entry
// is its last unlock of the same object.
void rsan_note_unlock(const struct rsan_thread *thread, struct rsan_sync *sync, bool anew);
// A step of synchronisation other than these, by the object's identity.
void rsan_note_edge(const struct rsan_thread *thread, enum rsan_step_kind step, uint64_t object,
                    uint64_t number);

#endif
