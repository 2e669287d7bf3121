// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an access is made to, as the source names it: `queue.tail`. By the place of the access; the
// compiler's pass (compiler/pass/Fields.cpp) knows the names.

#ifndef RSAN_FIELD_H
#define RSAN_FIELD_H

#include "rsan_state.h"

namespace __tsan {

// The field that is accessed at the place among these frames; null: none is known. The text stays.
const char *RsanFieldAt(const SymbolizedStack *frames);

// How the source reaches what RsanFieldAt() returned: `q->tail`; null: that is not known.
const char *RsanFieldExpression(const char *field);

} // namespace __tsan

#endif
