// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What differs between the releases of LLVM that the passes are compiled for.

#ifndef RSAN_PASS_PORT_H
#define RSAN_PASS_PORT_H

#include "llvm/Config/llvm-config.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Passes/PassBuilder.h"
#if LLVM_VERSION_MAJOR >= 22
#include "llvm/Plugins/PassPlugin.h"
#else
#include "llvm/Passes/PassPlugin.h"
#endif
#if LLVM_VERSION_MAJOR >= 20
#include "llvm/IR/CmpPredicate.h"
#endif

namespace rsan {

/// A pattern that matches a comparison stores the predicate in a variable of this type.
#if LLVM_VERSION_MAJOR >= 20
using MatchedPredicate = llvm::CmpPredicate;
#else
using MatchedPredicate = llvm::CmpInst::Predicate;
#endif

/// Tells LLVM that the callee keeps no copy of the pointer that is this argument.
inline void addNoCapture(llvm::CallInst &call, unsigned argument) {
#if LLVM_VERSION_MAJOR >= 21
  call.addParamAttr(
      argument, llvm::Attribute::getWithCaptureInfo(call.getContext(), llvm::CaptureInfo::none()));
#else
  call.addParamAttr(argument, llvm::Attribute::NoCapture);
#endif
}

/// Returns whether `holds` is true for a debug record that declares the variable or assigns to it.
template <typename Predicate> bool anyNoteOf(llvm::AllocaInst *variable, Predicate holds) {
#if LLVM_VERSION_MAJOR < 22 // later there are records alone
  if (llvm::any_of(llvm::findDbgDeclares(variable), holds) ||
      llvm::any_of(llvm::at::getAssignmentMarkers(variable), holds))
    return true;
#endif
  return llvm::any_of(llvm::findDVRDeclares(variable), holds) ||
         llvm::any_of(llvm::at::getDVRAssignmentMarkers(variable), holds);
}

/// The variable whose life begins or ends here. It is the last argument: before LLVM 22 a size
/// precedes it.
inline llvm::Value *variableOf(const llvm::IntrinsicInst &lifetime) {
  return lifetime.getArgOperand(lifetime.arg_size() - 1)->stripPointerCasts();
}

/// Lets `add` add passes to the end of the pipeline.
template <typename Add> void atOptimizerLast(llvm::PassBuilder &pb, Add add) {
#if LLVM_VERSION_MAJOR >= 20
  pb.registerOptimizerLastEPCallback([add](llvm::ModulePassManager &mpm, llvm::OptimizationLevel,
                                           llvm::ThinOrFullLTOPhase) { add(mpm); });
#else
  pb.registerOptimizerLastEPCallback(
      [add](llvm::ModulePassManager &mpm, llvm::OptimizationLevel) { add(mpm); });
#endif
}

} // namespace rsan

#endif
