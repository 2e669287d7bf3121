// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of the runtime at the beginning and at the end of a function.

#ifndef RSAN_PASS_BRACKET_H
#define RSAN_PASS_BRACKET_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/IRBuilder.h"

namespace rsan {

using Emit = llvm::function_ref<void(llvm::IRBuilderBase &)>;

/// Emits `begin` behind the function's allocas, and `end` in front of each exit. An exception that
/// leaves the function is an exit, too.
void bracket(llvm::Function &f, Emit begin, Emit end);

/// Emits a call of a function that throws nothing.
void callRuntime(llvm::IRBuilderBase &b, llvm::StringRef name, llvm::Type *result,
                 llvm::ArrayRef<llvm::Value *> arguments);

} // namespace rsan

#endif
