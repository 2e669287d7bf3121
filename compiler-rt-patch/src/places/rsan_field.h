// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an access is made to, as the source names it: `queue.tail`. By the place of the access; the
// compiler's pass (compiler/pass/Fields.cpp) knows the names.

#ifndef RSAN_FIELD_H
#define RSAN_FIELD_H

#include "base/rsan_state.h"
#include "port/rsan_tsan.h"

namespace __tsan {

// The field that is accessed at the place among these frames; null: none is known. The text stays.
const char *RsanFieldAt(const SymbolizedStack *frames);

// The field that the report's access number `index`, or the cycle's step number `index`, accesses.
// Where the source has only a pointer to the field there, it is the field that another access (or
// step) to the same address names. Null: none of them names a field.
const char *RsanFieldOfAccess(const ReportDesc &report, uptr index);
const char *RsanFieldOfStep(const rsan_explanation &why, u32 index);

// How the source reaches what one of these returned: `q->tail`; null: that is not known.
const char *RsanFieldExpression(const char *field);

} // namespace __tsan

#endif
