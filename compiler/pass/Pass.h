// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plugin's steps. Two run over each module:
//   early  first of all passes, on what the front end made: functions that leave the analysis are
//          bracketed; spin loops are found while they still have the form that they were written in
//   late   last before ThreadSanitizer's pass: what that pass cannot tell apart or does not know
// Each returns whether it has changed the module. Only functions with sanitize_thread are
// rewritten.

#ifndef RSAN_PASS_PASS_H
#define RSAN_PASS_PASS_H

#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"

namespace rsan {

/// Brackets what the user took out of the analysis.
bool bracketIgnored(llvm::Module &m);

/// Makes blocking waits of the spin loops of `f`.
bool rewriteSpinLoops(llvm::Function &f, llvm::FunctionAnalysisManager &fam);

/// Weak compare-exchange, and the read-modify-writes that ThreadSanitizer's pass leaves alone.
bool expandAtomics(llvm::Function &f);

/// Says and counts what nobody sees.
bool noteUnseen(llvm::Module &m);

} // namespace rsan

#endif
