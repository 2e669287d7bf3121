// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Violations of a load whose value a compare-exchange at the same object checks again, with nothing
// else done with it before: an older value would only make that one fail. By the place of the load;
// the compiler's pass (compiler/pass/Rechecks.cpp) knows which loads are so.

#ifndef RSAN_RECHECK_H
#define RSAN_RECHECK_H

#include "base/rsan_state.h"

namespace __tsan {

// Where the compare-exchange is: in the function and file of `place`, the load's. No texts of its
// own.
struct RsanRecheck {
  const SymbolizedStack *place;
  u32 line, column;
};

// `frames`: those of the load. False: the value is used otherwise, or the older value would be; or
// nothing is known. True only where the missed write is a read-modify-write of the older value: no
// write can come between these two, so no compare-exchange that expects the older value succeeds
// until the object has that value again.
bool RsanFindRecheck(const SymbolizedStack *frames, const RsanFlagged &flagged,
                     RsanRecheck *recheck);

// Is the access part of an episode that ends by a compare-exchange and by nothing else? Then no
// older value does any harm (compiler/pass/Retries.cpp).
bool RsanIsRetried(const SymbolizedStack *frames, const RsanFlagged &flagged);

} // namespace __tsan

#endif
