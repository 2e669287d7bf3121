// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Places of the program in records, and the words of records for accesses.

#ifndef RSAN_RECORD_PLACE_H
#define RSAN_RECORD_PLACE_H

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

} // namespace __tsan

#endif
