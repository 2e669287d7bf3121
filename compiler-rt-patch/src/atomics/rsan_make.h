// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes the location of an access, and joins locations that overlap.
//
// A location of one size is found by its address and size. Where accesses of other sizes or
// addresses overlap it, one location has the bytes of them all: the smallest block that has them,
// aligned to its size, of at most 16 bytes (rsan_location_mix). It belongs to the sync variable at
// the block's first byte. Those at other bytes of the block have no location any more; an access
// there finds the block's. Where the core does not mix, or the bytes do not fit in such a block,
// all locations that overlap are withdrawn.

#ifndef RSAN_MAKE_H
#define RSAN_MAKE_H

#include "locations/rsan_lock.h"

namespace __tsan {

// Locks the location, and creates it if there is none. The slot is held.
RsanLocked RsanLockOrMakeLocation(ThreadState *thr, uptr pc, uptr addr, u32 size);

} // namespace __tsan

#endif
