// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code of the program that the analysis does not see. Any thread may call these.
#ifndef RSAN_UNSEEN_CODE_H
#define RSAN_UNSEEN_CODE_H

#include "rsan_state.h"

namespace __tsan {

class ReportDesc;

void RsanPrintUnseenCode(); // statistics
// A report is printed. At the end: one line, if a data race was reported that assembly may prevent.
void RsanCountReport(const ReportDesc *report);
void RsanPrintUnseenOrder();

} // namespace __tsan

#endif
