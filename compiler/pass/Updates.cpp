// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Some functions of the C++ standard library are one read-modify-write by the standard, but the
// library implements them as a loop:
//
//   old = load(x, relaxed);
//   while (!compare_exchange_weak(x, old, old + operand, order, relaxed)) {}
//   return old;
//
// The floating-point fetch_add of std::atomic and of std::atomic_ref is one. The program cannot
// observe the load and the failed attempts: their value goes only into the next attempt, and an
// older value makes that attempt fail. So the load becomes __rsan_atomic*_peek and each attempt
// becomes
// __rsan_atomic*_fetch_op_val, which counts as one read-modify-write when it succeeds and as
// nothing when it fails (Expand.cpp). A program that uses seq_cst only then has seq_cst accesses
// only.
//
// A function is rewritten if, in its simplified copy (Spin.h),
//   it is a member or another function of std::atomic and the like (isStandardAtomic);
//   its only effects on memory of others are one relaxed load in front of the loop and
//   compare-exchanges, which fail with relaxed order, all of one object whose address does not
//   change; each of these expects the value that one of them found, without a change; it returns
//   after a success, and only then, and nothing follows a success.
// The user's own loops of this shape stay what they are: their relaxed load is the user's.

#include "Access.h"
#include "Pass.h"
#include "Spin.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace rsan {
namespace {

const unsigned maxDepth = 6;     // of calls that are inlined
const unsigned maxGrown = 20000; // instructions of a function
const unsigned maxValues = 100;  // between an attempt and the load

bool hasLoop(Function &f) {
  DominatorTree dominators(f);
  return !LoopInfo(dominators).empty();
}

bool canInline(const CallBase &call) {
  const Function *callee = call.getCalledFunction();
  return callee && !callee->isDeclaration() && !callee->isInterposable() && !callee->isVarArg() &&
         callee->getFunctionType() == call.getFunctionType() && callee != call.getFunction() &&
         !callee->hasFnAttribute(Attribute::ReturnsTwice) && !callee->isPresplitCoroutine();
}

void inlineCalls(Function &f) {
  for (unsigned depth = 0; depth < maxDepth && f.getInstructionCount() < maxGrown; depth++) {
    SmallVector<CallBase *, 8> calls;
    for (Instruction &i : instructions(f))
      if (auto *call = dyn_cast<CallBase>(&i); call && canInline(*call))
        calls.push_back(call);
    if (calls.empty())
      return;
    for (CallBase *call : calls) {
      InlineFunctionInfo info;
      InlineFunction(*call, info, /*MergeAttributes=*/true);
    }
  }
}

/// Does the function call another one of std::atomic's in a loop?
bool mayBeUpdate(Function &f) {
  if (!isStandardAtomic(f) || isAtomicConstructor(f) || !mayHaveSpinLoops(f) || !hasLoop(f))
    return false;
  return any_of(instructions(f), [](const Instruction &i) {
    auto *call = dyn_cast<CallBase>(&i);
    const Function *callee = call ? call->getCalledFunction() : nullptr;
    return isa<AtomicCmpXchgInst>(i) || (callee && isStandardAtomic(*callee));
  });
}

const Value *withoutCasts(const Value *v) {
  for (;;) {
    auto *cast = dyn_cast<CastInst>(v);
    if (!cast || !cast->isNoopCast(cast->getModule()->getDataLayout()))
      return v;
    v = cast->getOperand(0);
  }
}

/// The load and the attempts of a simplified copy.
class Update {
public:
  LoadInst *load = nullptr;
  SmallVector<AtomicCmpXchgInst *, 8> attempts;

  bool isOne(Function &copy) {
    for (Instruction &i : instructions(copy))
      if (!take(i))
        return false;
    return load && !attempts.empty() && agree() && endsWithSuccess(copy);
  }

private:
  SmallPtrSet<const BasicBlock *, 4> ends; // which the run comes to after a success

  bool take(Instruction &i) {
    if (auto *cas = dyn_cast<AtomicCmpXchgInst>(&i)) {
      attempts.push_back(cas);
      return cas->getSyncScopeID() == SyncScope::System &&
             cas->getFailureOrdering() == AtomicOrdering::Monotonic;
    }
    if (auto *read = dyn_cast<LoadInst>(&i); read && read->isAtomic()) {
      bool isFirst = !load;
      load = read;
      return isFirst && read->getOrdering() == AtomicOrdering::Monotonic &&
             read->getSyncScopeID() == SyncScope::System;
    }
    if (auto *call = dyn_cast<CallBase>(&i))
      return isa<IntrinsicInst>(i) || call->doesNotReturn() || call->doesNotAccessMemory() ||
             (isa<CallInst>(i) && Copy::isSnapshot(*cast<CallInst>(call)));
    if (auto *store = dyn_cast<StoreInst>(&i); store && store->isSimple())
      return isa<AllocaInst>(getUnderlyingObject(store->getPointerOperand()));
    return !i.mayWriteToMemory() && !i.isAtomic();
  }

  /// The same address: one value, or read from the same place, which the function does not write:
  /// the pointer in an atomic_ref.
  static bool isSameAddress(const Value *a, const Value *b) {
    if (a == b)
      return true;
    auto *one = dyn_cast<LoadInst>(a), *other = dyn_cast<LoadInst>(b);
    return one && other && one->isSimple() && other->isSimple() &&
           one->getPointerOperand() == other->getPointerOperand() &&
           isa<Argument>(getUnderlyingObject(one->getPointerOperand()));
  }

  /// Are all of one object, and does each attempt expect what was found?
  bool agree() const {
    DominatorTree dominators(*load->getFunction());
    LoopInfo loops(dominators);
    if (loops.getLoopFor(load->getParent()))
      return false;
    return all_of(attempts, [&](const AtomicCmpXchgInst *cas) {
      SmallPtrSet<const Value *, 8> seen;
      return isSameAddress(cas->getPointerOperand(), load->getPointerOperand()) &&
             dominators.dominates(load, cas) && isFound(cas->getCompareOperand(), seen);
    });
  }

  bool isFound(const Value *v, SmallPtrSetImpl<const Value *> &seen) const {
    v = withoutCasts(v);
    if (!seen.insert(v).second)
      return true;
    if (auto *phi = dyn_cast<PHINode>(v))
      return seen.size() < maxValues &&
             all_of(
                 phi->incoming_values(),
                 [&](const Use &incoming) { return isFound(incoming, seen); });
    if (auto *select = dyn_cast<SelectInst>(v))
      return isFound(select->getTrueValue(), seen) && isFound(select->getFalseValue(), seen);
    auto *part = dyn_cast<ExtractValueInst>(v);
    return v == load || (part && part->getIndices()[0] == 0 &&
                         is_contained(attempts, part->getAggregateOperand()));
  }

  /// Is this the success of the attempt that was made last? (The copy has one attempt in a round.)
  bool isSuccess(const Value *v, SmallPtrSetImpl<const Value *> &seen) const {
    if (auto *phi = dyn_cast<PHINode>(v))
      return seen.insert(v).second && all_of(phi->incoming_values(), [&](const Use &incoming) {
               return isSuccess(incoming, seen);
             });
    auto *part = dyn_cast<ExtractValueInst>(v);
    return part && part->getIndices()[0] == 1 &&
           is_contained(attempts, part->getAggregateOperand());
  }

  /// Finds where the successes lead. False: a branch by something else than success leaves the
  /// loop.
  bool endsWithSuccess(Function &copy) {
    for (BasicBlock &block : copy) {
      auto *branch = dyn_cast<BranchInst>(block.getTerminator());
      if (!branch || !branch->isConditional())
        continue;
      Value *condition = branch->getCondition(), *inner;
      bool when = true;
      for (; match(condition, m_Not(m_Value(inner))); condition = inner)
        when = !when;
      SmallPtrSet<const Value *, 8> seen;
      if (isSuccess(condition, seen))
        ends.insert(branch->getSuccessor(when ? 0 : 1));
    }
    return !ends.empty() && !reaches(copy.getEntryBlock(), true) &&
           none_of(ends, [&](const BasicBlock *end) { return reaches(*end, false); });
  }

  /// Does a way from `from` lead to a return without a success, or (after one) to an access?
  bool reaches(const BasicBlock &from, bool toReturn) const {
    SmallVector<const BasicBlock *, 16> todo = {&from};
    SmallPtrSet<const BasicBlock *, 16> seen;
    while (!todo.empty()) {
      const BasicBlock *block = todo.pop_back_val();
      if ((toReturn && ends.contains(block)) || !seen.insert(block).second)
        continue;
      if (toReturn ? isa<ReturnInst>(block->getTerminator())
                   : any_of(*block, [](const Instruction &i) { return i.isAtomic(); }))
        return true;
      todo.append(succ_begin(block), succ_end(block));
    }
    return false;
  }
};

bool rewrite(Function &f, FunctionAnalysisManager &fam) {
  Copy copy(f, fam);
  Update update;
  if (!update.isOne(*copy.function))
    return false;
  const DataLayout &layout = f.getDataLayout();
  Instruction *load = copy.original(update.load);
  unsigned bits = load ? accessBits(layout, load->getType()) : 0;
  SmallVector<AtomicCmpXchgInst *, 8> attempts;
  for (AtomicCmpXchgInst *attempt : update.attempts)
    attempts.push_back(cast_or_null<AtomicCmpXchgInst>(copy.original(attempt)));
  if (!bits || is_contained(attempts, nullptr))
    return false;
  for (AtomicCmpXchgInst *cas : attempts) {
    IRBuilder<> b(cas);
    replaceAccess(b, cas,
                  callAtomic(b, bits, "fetch_op_val",
                             {cas->getPointerOperand(), toBits(b, cas->getCompareOperand(), bits),
                              toBits(b, cas->getNewValOperand(), bits),
                              orderArgument(b, cas->getSuccessOrdering())}));
  }
  IRBuilder<> b(load);
  replaceAccess(b, load, callAtomic(b, bits, "peek", {cast<LoadInst>(load)->getPointerOperand()}));
  return true;
}

} // namespace

bool rewriteUpdates(Function &f, FunctionAnalysisManager &fam) {
  if (!mayBeUpdate(f))
    return false;
  inlineCalls(f);
  fam.invalidate(f, PreservedAnalyses::none());
  if (rewrite(f, fam))
    fam.invalidate(f, PreservedAnalyses::none());
  return true;
}

} // namespace rsan
