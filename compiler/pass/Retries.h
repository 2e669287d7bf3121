// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds loads and compare-exchanges that may read an older value without any difference to the
// program. Retries.cpp has the rule and its proof.

#ifndef RSAN_PASS_RETRIES_H
#define RSAN_PASS_RETRIES_H

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"

namespace rsan {

/// The same value under another type.
const llvm::Value *withoutCasts(const llvm::Value *v);

/// Does `condition` tell whether the compare-exchange has found the value that it expected? It has
/// if the condition equals `when`, which the caller sets to true before the call.
bool saysSuccess(const llvm::Value *condition, const llvm::AtomicCmpXchgInst &cas, bool &when);

using Retried = llvm::SmallPtrSet<const llvm::Instruction *, 8>;

/// Returns these loads and compare-exchanges of a simplified function.
Retried findRetried(llvm::Function &f, const llvm::DominatorTree &dominators);

} // namespace rsan

#endif
