// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The values that atomic objects were constructed with, as far as the compiler's pass tells of them
// (compiler/pass/Initialise.cpp). A hash table of recent ones: of the objects in a bucket only
// the latest one is known.

#ifndef RSAN_INITIAL_H
#define RSAN_INITIAL_H

#include "base/rsan_state.h"
#include "port/rsan_tsan.h"

namespace __tsan {

// A value, and who stored it: the thread's slot and epoch, which TSan's shadow has of the plain
// store as well.
struct RsanInitial {
  u64 value;
  Sid sid;
  Epoch epoch;
};

// Is a value known for an object of that address and size? If so, fills in the newest one.
bool RsanFindInitial(uptr addr, u32 size, RsanInitial *initial);

// Is it the initial value of an object with static storage there?
bool RsanIsInitial(uptr addr, u32 size, rsan_value value);

// The program has mapped a file so that its own writes stay its own.
void RsanMapsFile();

} // namespace __tsan

#endif
