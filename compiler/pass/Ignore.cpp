// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the user takes out of the analysis, between calls of the runtime:
//   annotate("rsan_ignore")             the function's whole extent, with all that it calls
//   no_sanitize, ignorelists (these     each atomic operation that is written in the function: the
//   leave no sanitize_thread)           builtins, and what std::atomic's members do with them
// ThreadSanitizer's own instrumentation stays: an operation that is not judged still synchronises.

#include "Bracket.h"
#include "Pass.h"

#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace rsan {
namespace {

void begin(IRBuilderBase &b) {
  callRuntime(b, "__rsan_ignore_begin", b.getVoidTy(), {});
}

void end(IRBuilderBase &b) {
  callRuntime(b, "__rsan_ignore_end", b.getVoidTy(), {});
}

bool isAtomicAccess(const Instruction &i) {
  if (isa<FenceInst>(i))
    return false;
  if (auto *call = dyn_cast<CallInst>(&i))
    return call->getCalledFunction() && !call->isMustTailCall() &&
           isStandardAtomic(*call->getCalledFunction());
  return i.isAtomic();
}

bool bracketAccesses(Function &f) {
  SmallVector<Instruction *, 8> accesses;
  for (Instruction &i : instructions(f))
    if (isAtomicAccess(i))
      accesses.push_back(&i);
  for (Instruction *access : accesses) {
    IRBuilder<> b(access);
    begin(b);
    b.SetInsertPoint(access->getNextNode());
    b.SetCurrentDebugLocation(access->getDebugLoc());
    end(b);
  }
  return !accesses.empty();
}

} // namespace

bool bracketIgnored(Module &m) {
  bool changed = false;
  for (Function &f : m) {
    if (f.isDeclaration() || f.hasFnAttribute(Attribute::Naked) ||
        f.hasFnAttribute(Attribute::DisableSanitizerInstrumentation))
      continue;
    bool ignored = isAnnotated(f, "rsan_ignore");
    // A coroutine may go on in another thread.
    if (ignored && !f.isPresplitCoroutine()) {
      bracket(f, begin, end);
      changed = true;
    } else if (ignored || !f.hasFnAttribute(Attribute::SanitizeThread)) {
      changed |= bracketAccesses(f);
    }
  }
  return changed;
}

} // namespace rsan
