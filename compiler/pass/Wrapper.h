// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which functions of a module only pass on one atomic access or fence. Wrappers.cpp says what that
// means.

#ifndef RSAN_PASS_WRAPPER_H
#define RSAN_PASS_WRAPPER_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

namespace rsan {

class Wrappers {
public:
  bool isFound(const llvm::Function &f) { return of(f).kind == Wrapper; }

  /// A wrapper, or one that makes no access and does nothing else that others could notice?
  bool onlyPasses(const llvm::Function &f) { return of(f).kind != Other; }

  /// The accesses, or calls of other wrappers, of a wrapper: no way through it has two.
  llvm::ArrayRef<const llvm::Instruction *> accesses(const llvm::Function &f) {
    return of(f).accesses;
  }

  /// A wrapper's parameters that say which object it is.
  const llvm::SmallBitVector &objects(const llvm::Function &f) { return of(f).objects; }

private:
  enum Kind { Other, Pure, Wrapper };
  struct Summary {
    Kind kind = Other;
    llvm::SmallBitVector objects; // parameters that say which object it is
    llvm::SmallVector<const llvm::Instruction *, 2> accesses;
  };
  struct Reading; // of one function

  const Summary &of(const llvm::Function &f);
  Summary read(const llvm::Function &f);
  bool takeCall(const llvm::CallBase &call, Reading &reading);
  bool take(const llvm::Instruction &i, Reading &reading);
  bool isNamed(const llvm::Value *address, Summary &summary);

  llvm::DenseMap<const llvm::Function *, std::unique_ptr<Summary>> summaries;
};

/// The number of a place in the source (compiler-rt-patch/src/common/rsan_source_name.h).
uint64_t keyOf(const llvm::DILocation &place);

/// The name that a symbolizer shows: `Flag<2>::enter()`.
std::string fullName(const llvm::DISubprogram &function);

} // namespace rsan

#endif
