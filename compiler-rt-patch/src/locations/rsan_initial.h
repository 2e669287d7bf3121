// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The values that atomic objects were constructed with, as far as the compiler's pass tells of them
// (compiler/pass/Initialise.cpp). A table of the last ones: an entry makes place for another one
// with the same hash, and is then not known any more.

#ifndef RSAN_INITIAL_H
#define RSAN_INITIAL_H

#include "tsan_rtl.h"

namespace __tsan {

// Who stored a value: a thread's slot, and its epoch. In TSan's shadow its plain store has both.
struct RsanInitial {
  u64 value;
  Sid sid;
  Epoch epoch;
};

// Is a value known for an object of that address and size? If so, fills in the newest one.
bool RsanFindInitial(uptr addr, u32 size, RsanInitial *initial);

} // namespace __tsan

#endif
