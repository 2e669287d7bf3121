// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which reports of violations are the same: of a pair of stacks, and of a pair of places in the
// source, which has many pairs of stacks. Each is reported once, and again where it is found that
// more targets show it.

#ifndef RSAN_SAME_H
#define RSAN_SAME_H

#include "base/rsan_state.h"

namespace __tsan {

// Whether this was called with these sites before (suppress_equal_stacks=0: never). Notes them.
bool RsanAreSitesKnown(u32 access, u32 missed, u8 shown);

// Makes the tokens of a violation, by the stacks of its access and of the missed write. No lock
// held.
void RsanMakeTokens(RsanFlagged *flagged, StackTrace access, StackTrace missed);

// Has a report with the violation's token of version 1 been printed, which tells lines apart?
// (report_all=1, suppress_equal_stacks=0: never.) Counts it then.
bool RsanIsFurther(const RsanFlagged &flagged);
void RsanNotePrinted(const RsanFlagged &flagged);

// At the end: how many there were.
void RsanPrintFurther();

} // namespace __tsan

#endif
