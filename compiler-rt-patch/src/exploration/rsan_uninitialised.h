// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomic reads of memory that nobody has initialised, where all schedules are explored.
//
// Memory that the heap gives out is filled with a pattern. A read that finds the pattern is a
// *suspect*: the program may have stored that value itself. So the execution is made once more with
// another pattern, and only a read that finds that one there, as the same read of the execution, is
// a finding. The program cannot have stored both.

#ifndef RSAN_UNINITIALISED_H
#define RSAN_UNINITIALISED_H

#include "base/rsan_state.h"
#include "schedule/rsan_fill.h"

namespace __tsan {

// An atomic read, or a read-modify-write, is about to be made, by the thread that runs.
void RsanLooksAtRead(ThreadState *thr, uptr pc, uptr addr, uptr size);
// A wait is about to make its first attempt.
void RsanLooksAtWait(ThreadState *thr, uptr pc, uptr addr, uptr size);

// Call this when a thread that follows an execution graph has read the object's initial value.
// Notes a gap if the value may come from memory that no thread has initialised.
void RsanLooksAtInitialValue(uptr addr, u32 size, rsan_value value);

} // namespace __tsan

#endif
