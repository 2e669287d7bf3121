// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads and compare-exchanges whose older values nobody can tell from newer ones. Retries.cpp says
// which these are, and why.

#ifndef RSAN_PASS_RETRIES_H
#define RSAN_PASS_RETRIES_H

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"

namespace rsan {

/// The same value under another type.
const llvm::Value *withoutCasts(const llvm::Value *v);

/// Does `condition` say that the compare-exchange has found what it expected? It does if it is
/// `when`, which the caller sets to true before.
bool saysSuccess(const llvm::Value *condition, const llvm::AtomicCmpXchgInst &cas, bool &when);

using Retried = llvm::SmallPtrSet<const llvm::Instruction *, 8>;

/// The loads and compare-exchanges of a simplified function that are so.
Retried findRetried(llvm::Function &f, const llvm::DominatorTree &dominators);

} // namespace rsan

#endif
