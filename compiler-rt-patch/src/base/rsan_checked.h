// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What of this process is checked at all, for the tools and for its own reports.
#ifndef RSAN_CHECKED_H
#define RSAN_CHECKED_H

#include "base/rsan_state.h"

namespace __tsan {

extern bool rsan_atomics_noted;
void RsanNoteFirstAtomic();

// An atomic access is analysed. Called where an access is slow anyway.
ALWAYS_INLINE void RsanNoteAtomic() {
  if (UNLIKELY(!rsan_atomics_noted))
    RsanNoteFirstAtomic();
}

// Once, when the options are known.
void RsanInitializeChecked();

// The runtime ends the process before the program begins.
void RsanNoteRefusal();

// Prints how many source files are instrumented, as a part of the statistics.
void RsanPrintUnits();

// Have source files been loaded that RSan's pass has not seen?
bool RsanHasForeignUnits();

// A violation has been reported.
void RsanNoteViolation();

// At the end of the run. Prints a line if a violation was reported and code of the program was
// instrumented without RSan's pass.
void RsanPrintForeignUnits();

} // namespace __tsan

#endif
