// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What setup() of a test of rsan_check leaves in atomic objects. It may write them in any way, also
// by plain stores, memset, or code that is not instrumented: it runs alone, before all threads. So
// each value that an object has when the threads begin is known, whoever has written it. In an
// execution of `rsan check` the same holds of what comes before the first thread.
//
// An object that lives on from one execution to the next would have a value that no access has
// left. Which objects these are is not known before a thread accesses one: it is noted then, and
// the execution is made again. From then on the object's history begins with each execution anew,
// with the value that setup() has left.

#ifndef RSAN_SET_UP_H
#define RSAN_SET_UP_H

#include "base/rsan_state.h"
#include "exploration/rsan_fibers.h"

namespace __tsan {

// The object of `size` bytes (1 to 16) at `addr`, as memory has it.
rsan_value RsanValueInMemory(uptr addr, u32 size);

// The threads begin, and have ended.
void RsanSetUpEnds();
void RsanThreadsEnd();

// An object has a value that no atomic access has left, at its first access (`first`) or later;
// `writer` is who has written it where there is no test. Returns who has in this one.
rsan_writer RsanWriterInTest(uptr addr, u32 size, rsan_value value, bool first, rsan_writer writer);

// Has the execution met such objects for the first time? Then the caller repeats it and ignores its
// counts of them. Asking resets the answer.
bool RsanMetUnknownObjects();

// So many counts of values that nobody is seen to have written say nothing (rsan_gaps.cpp).
void RsanExcuseUnseen(u64 count);

} // namespace __tsan

#endif
