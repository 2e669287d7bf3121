// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether atomic operations do more than be analysed: repairs, delays, schedules, stale values. The
// runtime's entry points ask this first. And sole threads, whose operations are not analysed.

#ifndef RSAN_SIMULATING_H
#define RSAN_SIMULATING_H

#include "base/rsan_state.h"

namespace __tsan {

// What an atomic operation may do beside the analysis.
enum RsanSimulated : u8 {
  kRsanRepairs = 1,    // there are rules
  kRsanDelays = 2,     // schedule=delay
  kRsanScheduled = 4,  // schedule=
  kRsanDepartures = 8, // weak=
};

// Hidden: nothing but the word itself is loaded.
extern __attribute__((visibility("hidden"))) atomic_uint8_t rsan_simulating;

// Is anything simulated at all? Without simulation the runtime's entry points ask nothing else.
ALWAYS_INLINE bool RsanSimulates() {
  return UNLIKELY(atomic_load_relaxed(&rsan_simulating));
}

ALWAYS_INLINE bool RsanSimulates(u8 any) {
  return atomic_load_relaxed(&rsan_simulating) & any;
}

void RsanSimulateAlso(RsanSimulated what);

// Does weak= ask for departures?
ALWAYS_INLINE bool RsanIsWeak() {
  return UNLIKELY(RsanSimulates(kRsanDepartures));
}

// The operations of a sole thread are not analysed (atomics/rsan_sole.h).

// The thread has been started, or has joined another one: is it sole from now on?
void RsanBeginSole(ThreadState *thr);
// Before `creator` creates a thread (null: nobody does), or simulates what it has not so far.
// Without locks.
void RsanEndSole(ThreadState *creator);
// The same by `thr`, before it asks for something by which the C library may create threads: what
// it does from then on does not happen before what they do.
void RsanEndSoleForGood(ThreadState *thr);
// At a thread's start: must it acquire everything, because a sole phase ended without ordering the
// two?
bool RsanStartsBehindSole(const ThreadState *thr);

} // namespace __tsan

#endif
