// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a thread may do while it waits without anybody noticing.

#ifndef RSAN_PASS_HARMLESS_H
#define RSAN_PASS_HARMLESS_H

#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstrTypes.h"

namespace rsan {

/// Assembly that only passes time (pause, nop), or nothing at all (a compiler barrier).
bool isIdle(const llvm::InlineAsm &assembly);

/// A call that neither changes nor asks for anything that other threads or the rest of this
/// thread's run depend on: pauses, yields, sleeps, the compiler's own notes.
bool isHarmlessCall(const llvm::CallBase &call);

/// Assembly whose effect on other threads RSan cannot see.
bool isUnseen(const llvm::InlineAsm &assembly);

/// An intrinsic that is an atomic access of one processor's, which RSan cannot see.
bool isUnseenAtomic(const llvm::CallBase &call);

/// Assembly with an instruction by which threads synchronise: an atomic one, or a full fence.
bool maySynchronise(const llvm::InlineAsm &assembly);

} // namespace rsan

#endif
