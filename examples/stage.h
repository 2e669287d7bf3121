// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A stage hand for the examples: makes every run take the same interleaving, one that any scheduler
// may choose. It is kept out of sight of the sanitizer and adds no happens-before, so it hides
// nothing and causes nothing. With -DSTAGE_OFF the threads run as the operating system schedules
// them.

#ifndef RSAN_EXAMPLES_STAGE_H
#define RSAN_EXAMPLES_STAGE_H

#include <sched.h>

#ifdef STAGE_OFF
#define STAGE_HAND
#else
// Not inlined: the attribute belongs to the function and would be lost with it.
#ifdef __clang__
#define STAGE_HAND __attribute__((noinline, disable_sanitizer_instrumentation))
#else
#define STAGE_HAND __attribute__((noinline, no_sanitize("thread")))
#endif
static int stage_now;
#endif

// The script has come to `step`. Steps only go up.
STAGE_HAND static void stage_reach(int step) {
#ifdef STAGE_OFF
  (void)step;
#else
  if (__atomic_load_n(&stage_now, __ATOMIC_RELAXED) < step)
    __atomic_store_n(&stage_now, step, __ATOMIC_RELAXED);
#endif
}

// Waits until another thread has reached `step`.
STAGE_HAND static void stage_await(int step) {
#ifdef STAGE_OFF
  (void)step;
#else
  while (__atomic_load_n(&stage_now, __ATOMIC_RELAXED) < step)
    sched_yield();
#endif
}

#endif
