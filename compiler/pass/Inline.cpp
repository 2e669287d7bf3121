// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Members of std::atomic, and functions such as bool is_free(lock *), hide the access that a loop
// waits with: the optimiser comes too late for them, and at -O0 not at all. Where a loop may be a
// wait, small functions are inlined. So is a call of a function that waits and returns the value
// that it found last, where nobody uses that: there the value serves the wait's condition alone.
// And so is a call of a function that waits with the memory order that it is given, as a number:
// only where that is a constant the loop has one access.

#include "Harmless.h"
#include "Pass.h"
#include "Spin.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace rsan {
namespace {

const unsigned maxInstructions =
    400;                         // of a function: compare_exchange_weak with two orders has 250
const unsigned maxDepth = 5;     // of calls
const unsigned maxGrown = 20000; // instructions of a function; a larger one gets nothing inlined

/// What a function, or a loop, is made of.
struct Contents {
  bool suitable = true, attempts = false;
  bool waits = false; // has attempts in loops of functions that it calls, or in its own
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
  contents.waits |= inner.waits;
  if (inner.suitable)
    contents.calls.push_back(call);
}

Contents contentsOf(Function &callee, const Function &caller, unsigned depth) {
  Contents contents;
  contents.suitable = !callee.isDeclaration() && !callee.isInterposable() && !callee.isVarArg() &&
                      !callee.hasFnAttribute(Attribute::Naked) &&
                      !callee.hasFnAttribute(Attribute::ReturnsTwice) && &callee != &caller &&
                      !callee.isPresplitCoroutine() && !callee.hasGC() &&
                      !isAnnotated(callee, "rsan_ignore") &&
                      callee.getInstructionCount() <= maxInstructions && sameTarget(caller, callee);
  if (!contents.suitable)
    return contents;
  for (BasicBlock &block : callee)
    contents.suitable &= !block.hasAddressTaken();
  for (Instruction &i : instructions(callee))
    if (contents.suitable)
      add(contents, i, caller, depth);
  // Delays are no waits.
  if (contents.attempts && hasLoop(callee)) {
    contents.attempts = false;
    contents.waits = true;
  }
  return contents;
}

using Calls = SmallSetVector<CallBase *, 8>;

/// v = read(x); while (v != 1) v = read(x);  The first of these calls is no part of the loop.
void addFirstRead(const Loop &loop, const Contents &contents, Calls &result) {
  BasicBlock *before = loop.getLoopPredecessor();
  if (!before)
    return;
  for (Instruction &i : reverse(*before)) {
    auto *call = dyn_cast<CallBase>(&i);
    if (!call || isa<IntrinsicInst>(i) || isHarmlessCall(*call))
      continue;
    if (any_of(contents.calls, [&](CallBase *other) {
          return other->getCalledFunction() == call->getCalledFunction();
        }))
      result.insert(call);
    return;
  }
}

/// The calls to inline in loops that may be waits.
void addCallsInLoops(Function &f, Calls &result) {
  DominatorTree dominators(f);
  LoopInfo loops(dominators);
  for (Loop *loop : loops.getLoopsInPreorder()) {
    Contents contents;
    for (BasicBlock *block : loop->blocks())
      for (Instruction &i : *block)
        if (contents.suitable)
          add(contents, i, f, 0);
    if (!contents.suitable || !contents.attempts)
      continue;
    result.insert(contents.calls.begin(), contents.calls.end());
    addFirstRead(*loop, contents, result);
  }
}

bool isAtomicBlock(const BasicBlock *block) {
  return any_of(*block, [](const Instruction &i) { return i.isAtomic(); });
}

/// Is there a choice of accesses in it, as clang makes one where the memory order is no constant?
bool choosesAccess(const Function &f, unsigned depth = 0) {
  for (const Instruction &i : instructions(f)) {
    auto *call = dyn_cast<CallBase>(&i);
    const Function *callee = call ? call->getCalledFunction() : nullptr;
    if (callee && !callee->isDeclaration() && !call->doesNotReturn() && depth < maxDepth &&
        choosesAccess(*callee, depth + 1))
      return true;
    if (isa<SwitchInst>(i) && count_if(successors(&i), isAtomicBlock) > 1)
      return true;
  }
  return false;
}

bool passesConstant(const CallBase &call) {
  return any_of(call.args(), [](const Use &argument) { return isa<ConstantInt>(argument); });
}

/// The calls of functions that wait and return a value that nobody uses, or take an order.
void addWaits(Function &f, Calls &result) {
  for (Instruction &i : instructions(f)) {
    auto *call = dyn_cast<CallInst>(&i);
    Function *callee = call ? call->getCalledFunction() : nullptr;
    bool unused = !i.getType()->isVoidTy() && i.use_empty();
    if (!callee || !(unused || passesConstant(*call)))
      continue;
    Contents contents;
    add(contents, i, f, 0);
    if (contents.suitable && contents.waits && (unused || choosesAccess(*callee)))
      result.insert(contents.calls.begin(), contents.calls.end());
  }
}

} // namespace

bool inlineInLoops(Function &f) {
  if (!mayHaveSpinLoops(f))
    return false;
  bool changed = false;
  for (unsigned round = 0; round <= maxDepth; round++) {
    Calls calls;
    addCallsInLoops(f, calls);
    addWaits(f, calls);
    if (calls.empty() || f.getInstructionCount() > maxGrown)
      break;
    for (CallBase *call : calls) {
      InlineFunctionInfo info;
      changed |= InlineFunction(*call, info, /*MergeAttributes=*/true).isSuccess();
    }
  }
  return changed;
}

} // namespace rsan
