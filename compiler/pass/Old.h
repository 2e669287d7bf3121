// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How code synchronised before the language had atomics: by volatile accesses and assembly for x86.
// Both can be asked for (-fsanitize-robustness-volatile, -fsanitize-robustness-asm); what is not is
// said and counted.

#ifndef RSAN_PASS_OLD_H
#define RSAN_PASS_OLD_H

#include "llvm/IR/Instructions.h"

namespace rsan {

/// A volatile access that the option would make atomic.
bool isPlainVolatile(const llvm::Instruction &i);

/// Assembly that the option would understand: what it is, else "".
llvm::StringRef nameOfKnownAssembly(const llvm::CallBase &call);

/// Names a call of assembly that is one access of memory and nothing else, else "". Replaces such a
/// call by an operation of the language, and returns whether it did.
llvm::StringRef nameOfOperation(const llvm::CallInst &call);
bool replaceOperation(llvm::CallInst &call);

/// Has it been understood? Then nothing of it is unseen.
bool isUnderstood(const llvm::CallBase &call);

} // namespace rsan

#endif
