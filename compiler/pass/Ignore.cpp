// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the user takes out of the analysis, between calls of the runtime:
//   annotate("rsan_ignore")             the function's whole extent, with all that it calls
//   no_sanitize, ignorelists (these     each atomic operation that is written in the function: the
//   leave no sanitize_thread)           builtins, and what std::atomic's members do with them
// ThreadSanitizer's own instrumentation stays: an operation that is not judged still synchronises.

#include "Pass.h"

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/EscapeEnumerator.h"

using namespace llvm;

namespace rsan {
namespace {

void call(IRBuilderBase &b, StringRef name) {
  Module *m = b.GetInsertBlock()->getModule();
  FunctionCallee callee = m->getOrInsertFunction(name, FunctionType::get(b.getVoidTy(), false));
  if (auto *f = dyn_cast<Function>(callee.getCallee()))
    f->setDoesNotThrow();
  b.CreateCall(callee)->setDoesNotThrow();
}

void begin(IRBuilderBase &b) {
  call(b, "__rsan_ignore_begin");
}

void end(IRBuilderBase &b) {
  call(b, "__rsan_ignore_end");
}

void bracketExtent(Function &f) {
  BasicBlock::iterator start = f.getEntryBlock().getFirstNonPHIOrDbgOrAlloca();
  IRBuilder<> b(&f.getEntryBlock(), start);
  if (DISubprogram *subprogram = f.getSubprogram())
    b.SetCurrentDebugLocation(DILocation::get(f.getContext(), 0, 0, subprogram));
  begin(b);
  EscapeEnumerator exits(f, "rsan.cleanup");
  while (IRBuilder<> *exit = exits.Next())
    end(*exit);
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
      bracketExtent(f);
      changed = true;
    } else if (ignored || !f.hasFnAttribute(Attribute::SanitizeThread)) {
      changed |= bracketAccesses(f);
    }
  }
  return changed;
}

} // namespace rsan
