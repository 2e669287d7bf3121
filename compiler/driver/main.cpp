// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// clang's entry point, what is said when it has linked, and what must hold for its other objects,
// built without our patches, to fit ours.

#include "ForeignUnits.h"

#include "clang/Basic/Sanitizers.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/LLVMDriver.h"
#include "llvm/Support/Path.h"

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
  const rsan::LinkedFile linked(llvm::ArrayRef<const char *>(argv, static_cast<size_t>(argc)));
  const std::string name = llvm::sys::path::filename(argv[0]).str();
  const int status = clang_main(argc, argv, {argv[0], nullptr, false});
  if (status == 0)
    linked.warn(name);
  return status;
}
