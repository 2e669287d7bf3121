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

// Returns whether the code is the runtime's.
bool RsanIsOwnCode(uptr pc);
// Returns whether the code is in the program's executable file. A static runtime is in there, too.
bool RsanIsCodeOfFirstFile(uptr pc);

} // namespace __tsan

#endif
