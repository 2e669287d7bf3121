// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of a record that are written in two files.

#ifndef RSAN_RECORD_H
#define RSAN_RECORD_H

#include "base/rsan_json.h"
#include "base/rsan_state.h"

namespace __tsan {

void RsanPutFrame(RsanJson *json, const AddressInfo &info);
// With its key, unless that is null. Nothing is written of a stack that is not known.
void RsanPutStack(RsanJson *json, const char *key, const ReportStack *stack);

// The module of an address and the offset in it, if it is in one.
bool RsanPutModule(RsanJson *json, uptr address);

const char *RsanRecordOrder(rsan_order order); // "acquire"
const char *RsanRecordKind(enum rsan_access_kind kind, enum rsan_check check);

// The member "checked_again" of a violation, if it has one.
void RsanPutRecheck(RsanJson *json, const ReportDesc *report);

// The members "cycle" and "repairs" of a violation, as far as they are known.
void RsanPutExplanation(RsanJson *json, const RsanFlagged &flagged);

} // namespace __tsan

#endif
