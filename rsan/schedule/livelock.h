// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A livelock: threads go on for ever, and none of them gets any further. It is recognised by a
// bound: since the last step of progress, each thread that can go on has made at least that many
// steps that only wait.
//
// A step only waits if it is
//
//   a yield or a sleep,
//   a load of the same object at the same program point as the thread's load before,
//   a wait whose time was over, unless it may have written (a read-modify-write in a loop), or
//   another attempt of a thread that was woken for nothing.
//
// Each other step is progress, in doubt as well: a loop that locks and unlocks a mutex, or tries
// to, is not recognised.
//
// What is recognised is a bound that was hit, and no proof: a thread that counts its turns, and
// gives up after more of them, would get further. Nor is it known here what comes from outside the
// program, such as signals; the host has to.

#ifndef RSAN_SCHEDULE_LIVELOCK_H
#define RSAN_SCHEDULE_LIVELOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "threads.h"

struct rsan_livelock {
  uint32_t bound;    // steps of a thread that only wait; 0: livelocks are not looked for
  uint64_t progress; // steps of progress
};

// The thread makes its pending operation. Called before it runs.
void rsan_livelock_step(struct rsan_livelock *l, struct rsan_threads *t, uint32_t id);

// No, as long as one thread
//
//   runs or is outside: nobody knows what it does there,
//   can go on, or its time may be over, and has made fewer steps that only wait, or is about to
//   make one of progress (with a policy that is not fair, or a time limit that ends when nothing
//   else can run, others make any number of steps before), or is blocked although its condition
//   holds by now, or would try and has not been told to since the last progress
//   (rsan_threads_retry).
//
// No, too, if all are blocked: that is a deadlock.
bool rsan_livelock_is(const struct rsan_livelock *l, const struct rsan_threads *t);

// Steps of the thread that only wait, since the last progress of any.
uint32_t rsan_livelock_waits(const struct rsan_livelock *l, const struct rsan_scheduled *thread);

#endif
