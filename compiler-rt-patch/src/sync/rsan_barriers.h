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

struct RsanBarrier {
  uptr address;
  u32 count;   // of the threads that wait there together; 0: the barrier is not known
  u64 arrived; // threads, since it was initialised
};

// Returns the barrier at the address, as it is now.
RsanBarrier RsanBarrierAt(uptr address);

} // namespace __tsan

#endif
