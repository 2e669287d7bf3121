// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The heap of a test of rsan_check() that follows execution graphs. The n-th block that a thread of
// the test allocates has the same address and the same content in each run, whatever the other
// threads do, because pointers are values of a graph. A freed block is not given out again in the
// same run, so two objects of a run never share an address.
//
// The interleavings of a scenario (rsan_scenario.cpp) have this heap, too. There a thread that has
// freed a block gets it again when it allocates one of the same size: another thread may meet an
// address that is used again, and the addresses still depend on what the thread does alone.
//
// setup() and check() allocate as the thread with the number 0. A thread has 16 MiB in a run; its
// further blocks come from TSan's allocator.

#ifndef RSAN_TEST_HEAP_H
#define RSAN_TEST_HEAP_H

#include "base/rsan_shim.h"
#include "schedule/rsan_fill.h"

namespace __tsan {

// A run begins: all blocks of the run before are gone, freed or not.
void RsanResetTestHeap();
// The last run is over. What it has left allocated stays as it is.
void RsanLeaveTestHeap();

// The first content of each byte of its blocks, and of blocks from before the first thread.
static const u8 kRsanTestHeapFill = kRsanFillBefore;

// Has a thread of the test freed a block since the other function was called?
bool RsanHasFreed();
void RsanForgetFreed();

} // namespace __tsan

#endif
