// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code of the runtime itself, and of the file that it is linked into.
//
// Neither function takes a lock, and both may be called in a signal handler.

#ifndef RSAN_OWN_CODE_H
#define RSAN_OWN_CODE_H

#include "port/rsan_common.h"

namespace __tsan {

// Call it before there are other threads.
void RsanInitializeOwnCode();

bool RsanIsOwnCode(uptr pc);
// In the program's file, of which the runtime may be a part.
bool RsanIsCodeOfFirstFile(uptr pc);

} // namespace __tsan

#endif
