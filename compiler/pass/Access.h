// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomic accesses and the runtime's entry points for them, __rsan_atomic<N>_<what>.

#ifndef RSAN_PASS_ACCESS_H
#define RSAN_PASS_ACCESS_H

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

namespace rsan {

/// N of an access to a `type`: its size in bits where there are entry points for it, else 0.
unsigned accessBits(const llvm::DataLayout &layout, llvm::Type *type);

/// The object that an atomic access is at. Null: the instruction is none; a fence is at no object.
llvm::Value *atomicAddress(const llvm::Instruction &i);

/// `v` as an integer of N bits, and back.
llvm::Value *toBits(llvm::IRBuilderBase &b, llvm::Value *v, unsigned bits);
llvm::Value *fromBits(llvm::IRBuilderBase &b, llvm::Value *v, llvm::Type *type);

/// A memory order as the entry points take it: the numbers of C's memory_order.
llvm::Value *orderArgument(llvm::IRBuilderBase &b, llvm::AtomicOrdering order);

/// Calls __rsan_atomic<bits>_<what>, which returns an integer of `bits` bits.
llvm::CallInst *callAtomic(llvm::IRBuilderBase &b, unsigned bits, llvm::StringRef what,
                           llvm::ArrayRef<llvm::Value *> arguments);

/// Puts `found`, what a call in place of `access` returned, in its place and removes it.
/// `failed`: an i1, of a weak compare-exchange that has failed although it found what it expects;
/// null: none does.
void replaceAccess(llvm::IRBuilderBase &b, llvm::Instruction *access, llvm::Value *found,
                   llvm::Value *failed = nullptr);

} // namespace rsan

#endif
