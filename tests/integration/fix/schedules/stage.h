// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In place of examples/stage.h: nothing is staged, and each access of examples/seqlock.c is a step
// of tests/litmus' scheduler. A thread that would wait, or begin a third round, ends instead, so
// that there is an end to the interleavings.

#ifndef RSAN_TESTS_STAGE_H
#define RSAN_TESTS_STAGE_H

#include "litmus.h"

#include <sched.h>
#include <setjmp.h>
#include <stdatomic.h>

static _Thread_local jmp_buf stage_end;
static _Thread_local int stage_rounds;

#undef atomic_load_explicit
#define atomic_load_explicit(object, order) (step(), __c11_atomic_load(object, order))
#undef atomic_store_explicit
#define atomic_store_explicit(object, value, order)                                                \
  (step(), __c11_atomic_store(object, value, order))
#define sched_yield() longjmp(stage_end, 1)

static inline void stage_reach(int step) {
  if (step == 1 && stage_rounds++ == 2)
    longjmp(stage_end, 1);
}
#define stage_await(step) ((void)(step))

#endif
