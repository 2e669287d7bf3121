// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What could not be checked for want of something that the runtime needs. Each kind is counted, and
// one line at the end of the process names those that there were.

#ifndef RSAN_UNCHECKED_H
#define RSAN_UNCHECKED_H

#include "port/rsan_common.h"

namespace __tsan {

using namespace __sanitizer;

// The text goes on a number of them, `accesses` or `calls`, and `of` or `after`.
#define RSAN_UNCHECKED(X)                                                                          \
  X(GLOBAL, "to globals whose initial values are not known, as there was no memory for a copy")    \
  X(FILE, "to mapped files whose content is not known, as /proc/self/maps or the file could not "  \
          "be read")                                                                               \
  X(CODE, "after calls of functions that may be instrumented or not, as /proc/self/maps could "    \
          "not be read")                                                                           \
  X(LENT, "to objects whose addresses code that is not instrumented was given, and which it may "  \
          "have changed")                                                                          \
  X(MIXED, "to objects that are accessed with several sizes or at overlapping addresses")

enum RsanUnchecked {
#define RSAN_UNCHECKED_ENUM(name, text) kRsanUnchecked_##name,
  RSAN_UNCHECKED(RSAN_UNCHECKED_ENUM)
#undef RSAN_UNCHECKED_ENUM
      kRsanUncheckedCount
};

void RsanCountUnchecked(RsanUnchecked kind);
u64 RsanUncheckedCount();  // of all kinds
void RsanPrintUnchecked(); // at the end

} // namespace __tsan

#endif
