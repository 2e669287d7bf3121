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
//   seq_cst fence                    none: all depend on each other
//   creation, start, end, join       none: `after` orders them, and nothing reverses it

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
  uint8_t kind; // enum rsan_kind
  bool writes;
  bool blocks;
  bool ends; // the whole program: all depend on it
};

static inline bool rsan_ops_depend(const struct rsan_op *a, const struct rsan_op *b) {
  if (a->ends || b->ends)
    return true;
  if (a->kind == RSAN_KIND_FENCE && b->kind == RSAN_KIND_FENCE)
    return true;
  if (a->object && a->object == b->object)
    return a->writes || b->writes;
  return (a->writes && a->object && a->object == b->also) ||
         (b->writes && b->object && b->object == a->also);
}

// Could `op`, which depends on `step`, have been made just before `step`? (Yes, if it is not
// known.)
static inline bool rsan_op_was_enabled(const struct rsan_op *op, const struct rsan_op *step) {
  return !op->blocks || step->object != op->object || step->unknown ||
         rsan_condition_holds(&op->until, step->before);
}

#endif
