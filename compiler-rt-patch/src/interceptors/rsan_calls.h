// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of functions that are not instrumented, where the compiler does not tell of them: GCC's
// (rsan_model_calls.cpp). The rules are in rsan_calls.cpp.

#ifndef RSAN_CALLS_H
#define RSAN_CALLS_H

#include "port/rsan_tsan.h"

namespace __tsan {

static const u32 kRsanArgumentRegisters = 6;

// True: the function is not instrumented, and the runtime does not know what it synchronises.
bool RsanIsUnseen(uptr function);

// Before such a call, with the registers for arguments, and when it has returned.
void RsanCallsUnseen(ThreadState *thr, uptr function, const uptr *arguments);
void RsanCalledUnseen(ThreadState *thr);

} // namespace __tsan

#endif
