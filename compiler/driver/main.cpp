// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// clang's entry point, and what must hold for its other objects, built without our patches, to fit
// ours.

#include "clang/Basic/Sanitizers.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/LLVMDriver.h"

using clang::SanitizerKind;

// A sanitizer's place in the table is its bit in masks that cross the border: ours must come after
// all of theirs, and within the width that they know.
static_assert(SanitizerKind::SO_RobustnessGroup == SanitizerKind::SO_AllGroup + 1,
              "'robustness' moves other bits");
static_assert(SanitizerKind::SO_Count == SanitizerKind::SO_RobustnessGroup + 1,
              "'robustness' is not the last");
static_assert(sizeof(clang::SanitizerMask) == 16, "sanitizer masks have another size");

int clang_main(int argc, char **argv, const llvm::ToolContext &context);

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  return clang_main(argc, argv, {argv[0], nullptr, false});
}
