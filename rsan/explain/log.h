// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The last accesses of each thread, and its last certain synchronisation, for explanations
// (cycle.h) alone: no verdict depends on it.
//
// A log is a ring that its thread writes without a lock (docs/internals/MODEL.md section 6).
//
//   object  identity of what is accessed: a location between two restarts of its history, what one
//           mutex releases, one creation, one join. Never used twice.
//   number  position in the object's order: version read or written, count of unlocks

#ifndef RSAN_EXPLAIN_LOG_H
#define RSAN_EXPLAIN_LOG_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "../base/lock.h"
#include "../explanation.h"
#include "../memorder.h"
#include "../options.h"

enum rsan_log_kind {
  RSAN_LOG_READ = RSAN_READ,
  RSAN_LOG_WRITE = RSAN_WRITE,
  RSAN_LOG_RMW = RSAN_RMW,
  RSAN_LOG_FENCE,
  RSAN_LOG_RELEASE, // unlock, create, finish: `step` says which
  RSAN_LOG_ACQUIRE, // lock, start, join
};

struct rsan_log_entry {
  uint64_t pc, caller, address;
  uint64_t object, number;
  uint8_t kind;  // enum rsan_log_kind
  uint8_t step;  // enum rsan_step_kind
  uint8_t check; // enum rsan_check
  uint8_t order; // enum rsan_order
  uint8_t size;  // bytes
};

#define RSAN_LOG_WORDS  5u
#define RSAN_LOG_NUMBER 4u // which of them is the number

struct rsan_log {
  struct rsan_log *next, *previous;
  struct rsan_log *retired_next; // of those whose threads are gone, by when they ended
  uint32_t owner;                // of all threads that ever are, no two have the same
  uint32_t room;                 // entries, a power of two
  uint64_t last_taken;           // identity of an object (rsan_log_object), for its thread alone
  // The newest entry, for its thread alone: object and number of an access, else 0; order of a
  // fence, else relaxed.
  uint64_t last_object, last_number;
  enum rsan_order last_fence;
  uint64_t last_released; // object, if that entry is a release; else 0
  _Atomic uint64_t head;
  _Atomic uint64_t words[]; // RSAN_LOG_WORDS an entry
};

// All logs, the newest first. A limited number of retired ones is kept, each with its newest
// entries. Spare ones are nobody's.
struct rsan_logs {
  struct rsan_lock lock;
  struct rsan_log *first, *spare;
  struct rsan_log *oldest_retired, *newest_retired;
  uint32_t room; // entries a log; 0: none are kept
  uint32_t retired;
  _Atomic uint64_t next_object;
};

// What the logs hold at one moment, thread by thread, each in program order.
struct rsan_log_thread {
  uint32_t owner, first, end; // entries[first .. end)
};
struct rsan_log_snapshot {
  uint32_t thread_count, own; // threads[own] is the one that asked
  struct rsan_log_thread *threads;
  struct rsan_log_entry *entries;
  bool accesses_fence; // a seq_cst access has an SC fence before it
};

void rsan_logs_init(struct rsan_logs *logs, uint32_t history);
void rsan_logs_stop(struct rsan_logs *logs); // there are no new ones
void rsan_logs_clear(struct rsan_logs *logs);

// A log for a new thread, and the end of one. NULL where none are kept.
struct rsan_log *rsan_log_new(struct rsan_logs *logs);
void rsan_log_set_owner(struct rsan_logs *logs, struct rsan_log *log, uint32_t owner);
void rsan_log_retire(struct rsan_logs *logs, struct rsan_log *log);

// An access as it is logged.
static inline struct rsan_log_entry rsan_log_access(const struct rsan_access *access,
                                                    uint64_t object, uint64_t number) {
  return (struct rsan_log_entry){
      .pc = access->pc,
      .caller = access->caller,
      .address = access->address,
      .object = object,
      .number = number,
      .kind = (uint8_t)access->kind,
      .step = RSAN_STEP_ACCESS,
      .check = (uint8_t)access->check,
      .order = (uint8_t)access->order,
      .size = (uint8_t)access->size,
  };
}

// An identity that nothing else has, by the log's own thread. It takes them by the hundred:
// programs that hand memory round need one for each location that starts over. Without a log, 0.
#define RSAN_LOG_OBJECTS 256u
static inline uint64_t rsan_log_object(struct rsan_logs *logs, struct rsan_log *log) {
  if (!log)
    return 0;
  if (log->last_taken % RSAN_LOG_OBJECTS == 0)
    log->last_taken =
        atomic_fetch_add_explicit(&logs->next_object, RSAN_LOG_OBJECTS, memory_order_relaxed);
  return ++log->last_taken;
}

static inline uint64_t rsan_log_head(const struct rsan_log *log) {
  return log ? atomic_load_explicit(&log->head, memory_order_relaxed) : 0;
}

// By the log's own thread. A read right after an access of the same version is left out, and so is
// a fence right after its like.
static inline bool rsan_log_repeats(const struct rsan_log *log, uint64_t object, uint64_t number) {
  return log->last_object == object && log->last_number == number;
}
void rsan_log_append(struct rsan_log *log, const struct rsan_log_entry *entry);
// Gives the newest entry another number: its write was repeated, and nobody came in between.
static inline void rsan_log_renumber(struct rsan_log *log, uint64_t number) {
  uint64_t last = atomic_load_explicit(&log->head, memory_order_relaxed) - 1;
  atomic_store_explicit(&log->words[(last & (log->room - 1)) * RSAN_LOG_WORDS + RSAN_LOG_NUMBER],
                        number, memory_order_release);
  log->last_number = number;
}

// `own`: the log of the caller, who is asked for its entries before `position` only. Ends with
// rsan_log_snapshot_clear.
void rsan_log_snapshot(struct rsan_logs *logs, const struct rsan_log *own, uint64_t position,
                       struct rsan_log_snapshot *snapshot);
void rsan_log_snapshot_clear(struct rsan_log_snapshot *snapshot);

#endif
