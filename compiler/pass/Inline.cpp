// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Members of std::atomic, and functions such as bool is_free(lock *), hide the access that a loop
// waits with: the optimiser comes too late for them, and at -O0 not at all. Where a loop may be a
// wait, small functions without loops of accesses are inlined.

#include "Harmless.h"
#include "Spin.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace rsan {
namespace {

const unsigned maxInstructions =
    400;                     // of a function: compare_exchange_weak with two orders has 250
const unsigned maxDepth = 5; // of calls

/// What a function, or a loop, is made of.
struct Contents {
  bool suitable = true, attempts = false;
  SmallVector<CallBase *, 4> calls; // that can be inlined
};

Contents contentsOf(Function &callee, const Function &caller, unsigned depth);

bool hasLoop(Function &f) {
  DominatorTree dominators(f);
  return !LoopInfo(dominators).empty();
}

bool sameTarget(const Function &a, const Function &b) {
  return a.getFnAttribute("target-cpu") == b.getFnAttribute("target-cpu") &&
         a.getFnAttribute("target-features") == b.getFnAttribute("target-features") &&
         a.hasFnAttribute(Attribute::StrictFP) == b.hasFnAttribute(Attribute::StrictFP) &&
         AttributeFuncs::areInlineCompatible(a, b);
}

bool isSignalFence(const Instruction &i) {
  return isa<FenceInst>(i) && cast<FenceInst>(i).getSyncScopeID() == SyncScope::SingleThread;
}

void add(Contents &contents, Instruction &i, const Function &caller, unsigned depth) {
  if (isAttempt(i)) {
    contents.attempts = true;
    return;
  }
  bool orders = i.isAtomic(); // a fence, a store, another read-modify-write
  if (isa<IndirectBrInst>(i) || isa<CallBrInst>(i) || (orders && !isSignalFence(i)))
    contents.suitable = false;
  auto *call = dyn_cast<CallBase>(&i);
  if (!call || isa<IntrinsicInst>(i) || isHarmlessCall(*call) || call->doesNotReturn())
    return;
  Function *callee = call->getCalledFunction();
  Contents inner;
  inner.suitable = false;
  if (callee && depth < maxDepth && callee->getFunctionType() == call->getFunctionType())
    inner = contentsOf(*callee, caller, depth + 1);
  contents.suitable &= inner.suitable;
  contents.attempts |= inner.attempts;
  if (inner.suitable)
    contents.calls.push_back(call);
}

Contents contentsOf(Function &callee, const Function &caller, unsigned depth) {
  Contents contents;
  contents.suitable = !callee.isDeclaration() && !callee.isInterposable() && !callee.isVarArg() &&
                      !callee.hasFnAttribute(Attribute::Naked) &&
                      !callee.hasFnAttribute(Attribute::ReturnsTwice) && &callee != &caller &&
                      !callee.isPresplitCoroutine() && !callee.hasGC() &&
                      callee.getInstructionCount() <= maxInstructions && sameTarget(caller, callee);
  if (!contents.suitable)
    return contents;
  for (BasicBlock &block : callee)
    contents.suitable &= !block.hasAddressTaken();
  for (Instruction &i : instructions(callee))
    if (contents.suitable)
      add(contents, i, caller, depth);
  // Delays are fine.
  contents.suitable &= !contents.attempts || !hasLoop(callee);
  return contents;
}

/// The calls to inline in the innermost candidates; none when there is nothing (more) to do.
SmallSetVector<CallBase *, 8> callsInLoops(Function &f) {
  SmallSetVector<CallBase *, 8> result;
  DominatorTree dominators(f);
  LoopInfo loops(dominators);
  for (Loop *loop : loops.getLoopsInPreorder()) {
    Contents contents;
    for (BasicBlock *block : loop->blocks())
      for (Instruction &i : *block)
        if (contents.suitable)
          add(contents, i, f, 0);
    if (contents.suitable && contents.attempts)
      result.insert(contents.calls.begin(), contents.calls.end());
  }
  return result;
}

} // namespace

bool inlineInLoops(Function &f) {
  bool changed = false;
  for (unsigned round = 0; round <= maxDepth; round++) {
    SmallSetVector<CallBase *, 8> calls = callsInLoops(f);
    if (calls.empty())
      break;
    for (CallBase *call : calls) {
      InlineFunctionInfo info;
      changed |= InlineFunction(*call, info, /*MergeAttributes=*/true).isSuccess();
    }
  }
  return changed;
}

} // namespace rsan
