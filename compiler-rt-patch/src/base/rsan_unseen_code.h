// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code of the program that the analysis does not see. Any thread may call these.
#ifndef RSAN_UNSEEN_CODE_H
#define RSAN_UNSEEN_CODE_H

#include "base/rsan_state.h"

namespace __tsan {

class ReportDesc;

// Does a module that is loaded contain such code?
bool RsanHasUnseenCode();
// Prints how much of it there is, as a part of the statistics.
void RsanPrintUnseenCode();
// A call of an unseen function is nested too deep to be noted.
void RsanCountNestedCall();
// Counts a report that is printed as text.
void RsanCountReport(const ReportDesc *report);
// At the end of the run. Prints a line if a data race was counted and the program has assembly that
// the analysis does not see.
void RsanPrintUnseenOrder();

} // namespace __tsan

#endif
