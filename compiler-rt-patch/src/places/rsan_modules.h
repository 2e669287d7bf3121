// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The modules as the symbolizer finds them, and as reports name them, but in a list of our own. The
// symbolizer makes its list anew whenever it is asked for code in none, under its lock. That takes
// the dynamic linker's lock as well; whoever has this, in a callback of dl_iterate_phdr, may ask,
// too. Our list is made under no lock, and only when libraries have come or gone.

#ifndef RSAN_MODULES_H
#define RSAN_MODULES_H

#include "port/rsan_common.h"

namespace __tsan {

// The path of the code's module, which stays valid; null: none. To be called without locks.
const char *RsanModuleAt(__sanitizer::uptr address, __sanitizer::uptr *offset);

// Libraries that have been unloaded since the program began. To be called after dlopen and dlclose,
// so that RsanModuleAt need not look, and without locks.
__sanitizer::u64 RsanReadModules();

// The function that the module of the caller, or one of those that it needs, has; null: none.
void *RsanFunctionFor(__sanitizer::uptr caller, const char *name);

// Is it in memory of a module that the dynamic linker has loaded? Other mapped files have data.
bool RsanIsInModule(__sanitizer::uptr address);

} // namespace __tsan

#endif
