// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The heap of a test of rsan_check() that follows execution graphs. The n-th block that a thread of
// the test allocates has the same address and the same content in each run, whatever the other
// threads do: pointers are values of a graph. Nothing that is freed is given out again in the same
// run, so no thread finds an old address with another object.
//
// Blocks of setup() and check() belong to who explores. A thread has 16 MiB in a run; what it
// allocates beyond comes from TSan's allocator.

#ifndef RSAN_TEST_HEAP_H
#define RSAN_TEST_HEAP_H

#include "base/rsan_shim.h"

namespace __tsan {

// A run begins: all blocks of the run before are gone, freed or not.
void RsanResetTestHeap();
// The last run is over. What it has left allocated stays as it is.
void RsanLeaveTestHeap();

} // namespace __tsan

#endif
