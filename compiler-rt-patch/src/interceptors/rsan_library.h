// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a module's own constructors tell the runtime.

#ifndef RSAN_LIBRARY_H
#define RSAN_LIBRARY_H

#include "port/rsan_common.h"

namespace __tsan {

// A constructor of an instrumented module, at that program point, is running: the dynamic linker
// has done all else for that module. No lock held but the dynamic linker's.
void RsanModuleStarts(__sanitizer::uptr pc);

} // namespace __tsan

#endif
