// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of a record of a violation that have a file of their own.

#ifndef RSAN_RECORD_H
#define RSAN_RECORD_H

#include "base/rsan_json.h"
#include "base/rsan_state.h"

namespace __tsan {

// The member "checked_again" of a violation, if it has one.
void RsanPutRecheck(RsanJson *json, const ReportDesc *report);

// The member "class" of a violation, if it is harmless.
void RsanPutClass(RsanJson *json, const ReportDesc *report);

// The members "cycle" and "repairs" of a violation, as far as they are known.
void RsanPutExplanation(RsanJson *json, const RsanFlagged &flagged);

} // namespace __tsan

#endif
