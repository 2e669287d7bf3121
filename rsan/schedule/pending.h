// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a thread is about to do: a *visible operation*, one that other threads can notice. Between
// two of them a thread may run as it likes, for nobody sees in which order that happens.

#ifndef RSAN_SCHEDULE_PENDING_H
#define RSAN_SCHEDULE_PENDING_H

#include <stdbool.h>
#include <stdint.h>

// Kinds have numbers in recorded schedules: new ones go to the end.
#define RSAN_KINDS(X)                                                                              \
  X(START, "start of the thread")                                                                  \
  X(END, "end of the thread")                                                                      \
  X(LOAD, "atomic load")                                                                           \
  X(STORE, "atomic store")                                                                         \
  X(RMW, "atomic read-modify-write")                                                               \
  X(FENCE, "seq_cst fence")                                                                        \
  X(SPIN, "loop that waits for a value")                                                           \
  X(LOCK, "lock")                                                                                  \
  X(READ_LOCK, "read lock")                                                                        \
  X(TRY_LOCK, "try to lock")                                                                       \
  X(UNLOCK, "unlock")                                                                              \
  X(COND_WAIT, "wait on a condition variable")                                                     \
  X(COND_SIGNAL, "signal of a condition variable")                                                 \
  X(COND_BROADCAST, "broadcast of a condition variable")                                           \
  X(SEM_WAIT, "wait on a semaphore")                                                               \
  X(SEM_POST, "post of a semaphore")                                                               \
  X(BARRIER, "wait at a barrier")                                                                  \
  X(ONCE, "wait for an initialisation")                                                            \
  X(CREATE, "creation of a thread")                                                                \
  X(JOIN, "join of a thread")                                                                      \
  X(YIELD, "yield")                                                                                \
  X(SLEEP, "sleep")                                                                                \
  X(CALL, "return from a call that may block")                                                     \
  X(EXIT, "end of the program")                                                                    \
  X(ASSUME, "assumption that does not hold")                                                       \
  X(MEMBARRIER, "membarrier")                                                                      \
  X(FUTEX, "wait on a word of memory")

enum rsan_kind {
#define RSAN_KIND(name, text) RSAN_KIND_##name,
  RSAN_KINDS(RSAN_KIND)
#undef RSAN_KIND
      RSAN_KIND_COUNT
};

// What has to happen before the operation can proceed.
enum rsan_until {
  RSAN_UNTIL_NOTHING, // it can proceed now
  RSAN_UNTIL_HOLDS,   // `holds` says true, such as 'the mutex is free'
  RSAN_UNTIL_WOKEN,   // somebody wakes it, such as a signal of the condition variable
  RSAN_UNTIL_END,     // the thread `object` has ended
};

struct rsan_op; // dependence.h

struct rsan_pending {
  // What it is about; compared with others for being the same, and for nothing else. No address
  // enters a choice.
  uint64_t object;
  uint64_t also;  // a second object, which is read
  uint64_t point; // the program point: the same in each run of the program
  uint64_t calls; // a number for the calls that have led there, if turns of loops are counted; 0
  // For RSAN_UNTIL_HOLDS. Asked when a step has written to the object, and when no other thread can
  // run. It must not change anything.
  bool (*holds)(void *argument);
  void *argument;
  // For the exploration of all schedules: tells, just before the operation is made, what it finds
  // and whether it writes. NULL: nothing more is known.
  void (*describe)(void *described, struct rsan_op *op);
  void *described;
  // For a sleeper: a wake with one of these bits wakes it (a futex's bitset); 0: every wake does.
  uint32_t mask;
  uint8_t kind;  // enum rsan_kind
  uint8_t until; // enum rsan_until
  uint8_t bytes; // of memory from address `object` on, at most 16; 0: the object is a name alone
  bool writes;   // it may change the object, so other operations on the object depend on it
  bool timed;    // what it waits for may fail to come in time
  bool ends;     // the program ends with it
  bool tries;    // who is woken tries again, and may fail: it may be woken for nothing
};

// A yield says that somebody else has to run before this thread gets any further.
static inline bool rsan_pending_yields(const struct rsan_pending *pending) {
  return pending->kind == RSAN_KIND_YIELD || pending->kind == RSAN_KIND_SLEEP;
}

// Do the two depend on each other as fences? A membarrier is a fence of every thread, in the midst
// of what the thread does from one step to the next. After its end a thread does nothing.
static inline bool rsan_kinds_fence(uint8_t a, uint8_t b) {
  if (a == RSAN_KIND_FENCE && b == RSAN_KIND_FENCE)
    return true;
  return (a == RSAN_KIND_MEMBARRIER && b != RSAN_KIND_END) ||
         (b == RSAN_KIND_MEMBARRIER && a != RSAN_KIND_END);
}

// Are these the same object, or do they have a byte in common?
static inline bool rsan_objects_meet(uint64_t a, uint32_t bytes_of_a, uint64_t b,
                                     uint32_t bytes_of_b) {
  return a && (a == b || (a < b + bytes_of_b && b < a + bytes_of_a));
}

// Does the order of the two matter? All seq_cst fences depend on each other.
static inline bool rsan_pending_depend(const struct rsan_pending *a, const struct rsan_pending *b) {
  if (rsan_kinds_fence(a->kind, b->kind))
    return true;
  return rsan_objects_meet(a->object, a->bytes, b->object, b->bytes) && (a->writes || b->writes);
}

#endif
