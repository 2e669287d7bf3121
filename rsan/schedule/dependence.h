// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations as the exploration of all schedules (dpor.h) sees them, and which of them depend on
// each other: those whose order others can notice. Runs that differ in the order of independent
// operations alone are the same run (a Mazurkiewicz trace).
//
//   operation                        object       writes                    blocks until
//   load; store; read-modify-write   the object   no; yes; yes
//   compare-exchange                 the object   if it succeeds
//   loop that waits for a value      the object   no, or as what ends it    the value is there
//   lock; unlock                     the mutex    yes; yes                  the mutex is free; -
//   try to lock                      the mutex    if it succeeds
//   wait on a condition variable     its mutex    yes; reads the variable
//   what wakes such waits            the variable yes
//   seq_cst fence                    none: all depend on each other, but for those that commute
//   membarrier                       none: all steps depend on it, as it fences every thread
//   creation, start, end, join       none: `after` orders them, and nothing reverses it
//
// Accesses of memory depend on each other if they have a byte in common.
//
// RC20's fences depend on each other, because happens-before goes from each to the next. C++20's do
// not: executions that differ in the order of fences alone are judged alike. The explorer decides
// which fences commute (levels.h); docs/internals/FENCES.md says when that is sound.
//
// Accesses may depart (docs/internals/DEPARTURES.md): get an older version of the object than the
// newest one. Which ones an access may get follows from what is before it by program order and
// dependence, so what is said above holds for them, too; a compare-exchange writes if it may get a
// version with which it succeeds, and a wait can also be made if there is an older version that
// ends it. Where several accesses of a run may depart there is D, which all of S goes into when one
// does: so a step that may depart as an event of S depends on all others. How many may still depart
// is no part of what orders steps: a run has so many departures in whatever order its steps are
// made.

#ifndef RSAN_SCHEDULE_DEPENDENCE_H
#define RSAN_SCHEDULE_DEPENDENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "../condition.h"
#include "pending.h"

struct rsan_op {
  uint64_t object; // 0: none
  uint64_t also;   // a second one, which is read; 0: none
  uint64_t point;  // the program point
  // The value of the object just before the step, and what the value has to be if the step blocks.
  struct rsan_value before;
  bool unknown; // `before` is not known
  struct rsan_condition until;
  // The step, counted from 1, that made this one possible for good: the last one of the creator
  // before a thread was created, the end of a thread that is joined, what woke a sleeper. 0: none.
  // (There is one at most: a thread's first step is its start, and who was woken makes a step of
  // its own before it joins.)
  uint32_t after;
  // `versions`: how many versions the object had before the step. `departs`: the step can depart
  // once the object has had `departs_with` versions.
  uint64_t versions, departs_with;
  uint8_t kind;  // enum rsan_kind
  uint8_t bytes; // of memory from address `object` on; 0: the object is a name alone
  bool departs;
  bool departs_in_s; // as an event of S, and others may depart after it
  bool writes;
  bool leaves; // it writes the value that it finds
  bool blocks;
  bool ends;     // the whole program: all depend on it
  bool commutes; // a fence: with every other fence that commutes
};

// The step might depart to a version: the object had so many when that one was the newest.
// DECLINED: a wait that has declined to depart when it had so many is not asked again before there
// are more; 0. How it would depart: it WRITES; as an event of S, and others may depart after it.
static inline void rsan_op_might_depart(struct rsan_op *op, uint64_t versions, uint64_t declined,
                                        bool writes, bool in_s) {
  uint64_t with = (versions > declined ? versions : declined) + 1;
  op->departs_with = op->departs && op->departs_with < with ? op->departs_with : with;
  op->departs = true;
  op->writes |= writes;
  op->departs_in_s |= in_s;
}

static inline bool rsan_op_ends_by_departure(const struct rsan_op *op) {
  return op->departs && op->versions >= op->departs_with;
}

static inline bool rsan_ops_depend(const struct rsan_op *a, const struct rsan_op *b) {
  if (a->ends || b->ends || a->departs_in_s || b->departs_in_s)
    return true;
  if (rsan_kinds_fence(a->kind, b->kind) && !(a->commutes && b->commutes))
    return true;
  if (rsan_objects_meet(a->object, a->bytes, b->object, b->bytes))
    return a->writes || b->writes;
  return (a->writes && a->object && a->object == b->also) ||
         (b->writes && b->object && b->object == a->also);
}

// Could `op`, which depends on `step`, have been made just before `step`? (Yes, if it is not
// known.)
static inline bool rsan_op_was_enabled(const struct rsan_op *op, const struct rsan_op *step) {
  return !op->blocks || step->object != op->object || step->bytes != op->bytes || step->unknown ||
         rsan_condition_holds(&op->until, step->before) ||
         (op->departs && step->versions >= op->departs_with);
}

#endif
