// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Why a violation is one, as plain data: the critical cycle, from the missed write through hbSC to
// the offending access, and what would break it. The core finds it, the host prints it.
//
// steps[0] is the missed write, steps[step_count - 1] the offending access; `to_next` of the last
// one is the edge back to the first, the one that no SC run has. Every other edge is one of hbSC
// that the log of recent accesses proves.

#ifndef RSAN_EXPLANATION_H
#define RSAN_EXPLANATION_H

#include <stdbool.h>
#include <stdint.h>

#include "event.h"

enum rsan_step_kind {
  RSAN_STEP_ACCESS, // `access`, `check`, `order`, `size`, `address` are the atomic access
  RSAN_STEP_UNLOCK, // `address`: of the mutex. (Read locks as well.)
  RSAN_STEP_LOCK,
  RSAN_STEP_CREATE, // of a thread: the creator's step, and the new thread's first one
  RSAN_STEP_START,
  RSAN_STEP_FINISH, // and its last one, and the joiner's
  RSAN_STEP_JOIN,
};

enum rsan_step_edge {
  RSAN_PROGRAM_ORDER,
  RSAN_READS_FROM,         // the next reads the version that this one wrote
  RSAN_MODIFICATION_ORDER, // the next wrote a later version, or reads a later one than this wrote
  RSAN_FROM_READ,          // the next wrote a later version than this one read
  RSAN_SYNCHRONISATION,    // unlock -> lock, create -> start, finish -> join
};

struct rsan_step {
  enum rsan_step_kind kind;
  enum rsan_access_kind access;
  enum rsan_check check;
  enum rsan_order order;
  enum rsan_step_edge to_next;
  uint32_t size;    // bytes
  uint32_t owner;   // thread: the host's number (rsan_thread_set_owner; TSan's unique_id)
  uint32_t site;    // the host's handle of the stack, of the missed write; else 0
  uint64_t pc;      // the host's: as in TSan's stacks, the address after the call; 0: unknown
  uint64_t caller;  // the frame above; 0: unknown
  uint64_t address; // of the location or mutex; 0: unknown
};

enum rsan_repair_kind {
  RSAN_REPAIR_FENCE, // atomic_thread_fence(order) before or after the step
  RSAN_REPAIR_ORDER, // the step's own order becomes `order`
};

struct rsan_repair {
  enum rsan_repair_kind kind;
  bool before; // fence before the step; else after it
  enum rsan_order order;
  uint32_t step; // in steps[]
  uint64_t pc;   // steps[step].pc
};

enum rsan_explained {
  RSAN_UNEXPLAINED,      // no log is kept
  RSAN_EXPLAINED,        // steps are the whole cycle
  RSAN_EXPLAIN_LEFT_LOG, // part of it is older than the log: no steps, no repairs
  RSAN_EXPLAIN_TOO_LONG, // it has more steps than there is room for: the same
};

// Beside the write at steps[step] and the read at the next step, whose orders are repaired: another
// write of the same stretch, and the read of it, along which the same run has a cycle as well.
// Where the reader comes too early for the first write, that is the violation.
struct rsan_sibling {
  uint32_t step;
  struct rsan_step write, read;
  bool releases, acquires; // the two do, or fences beside them; one of these is false
};

#define RSAN_STEPS_MAX    32u
#define RSAN_SIBLINGS_MAX 8u

struct rsan_explanation {
  enum rsan_explained state;
  uint32_t history; // entries that the log has for each thread
  uint32_t step_count, repair_count;
  struct rsan_step steps[RSAN_STEPS_MAX];
  // All of them together break the cycle. There are some if there are steps.
  struct rsan_repair repairs[RSAN_STEPS_MAX];
  uint32_t sibling_count;
  bool siblings_missing; // there may be more
  struct rsan_sibling siblings[RSAN_SIBLINGS_MAX];
};

// The place of the missed write, which its host knows by `site` where the log has not got it
// (steps[0].pc is 0), goes into the step and its repairs.
void rsan_explanation_place(struct rsan_explanation *explanation, uint64_t pc, uint64_t caller);

// "program order", "reads-from", "modification order", "from-read", "synchronisation"
const char *rsan_step_edge_name(enum rsan_step_edge edge);

#endif
