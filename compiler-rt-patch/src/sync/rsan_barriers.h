// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barriers that the process has initialised, and how many threads have arrived there.
//
// The threads that wait at a barrier together release what they have done to one object, and
// acquire from it. Those who wait there the next time use another object. If they used the same
// one, a thread that leaves late would acquire what a faster thread has done since it left, and a
// data race of the two would be missed.
//
// Deviation: barriers in memory that other processes have as well, and those that were initialised
// elsewhere, have one object.

#ifndef RSAN_BARRIERS_H
#define RSAN_BARRIERS_H

#include "base/rsan_state.h"

namespace __tsan {

enum RsanArrival { kRsanUnknown, kRsanNotLast, kRsanLast };

// What the newest arrival there was. Until it has waited, no other thread arrives in a scheduled
// run.
RsanArrival RsanNewestArrival(uptr barrier);
u32 RsanBarrierCount(uptr barrier);    // of the threads that wait there together; 0: unknown
u64 RsanBarrierArrivals(uptr barrier); // since it was initialised; 0: unknown

} // namespace __tsan

#endif
