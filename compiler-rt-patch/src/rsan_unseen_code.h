// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code of the program that the analysis does not see. Any thread may call these.
#ifndef RSAN_UNSEEN_CODE_H
#define RSAN_UNSEEN_CODE_H

#include "rsan_state.h"

namespace __tsan {

class ReportDesc;

// Does the program have any? Set as its modules are loaded.
bool RsanHasUnseenCode();
void RsanPrintUnseenCode(); // statistics
// To be called for each report that is printed as text.
void RsanCountReport(const ReportDesc *report);
// At the end of the run: prints a line if a data race was counted, and assembly is not seen.
void RsanPrintUnseenOrder();

} // namespace __tsan

#endif
