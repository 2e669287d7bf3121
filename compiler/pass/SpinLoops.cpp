// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Access.h"
#include "Pass.h"
#include "Spin.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace rsan {
namespace {

/// Loops, innermost first.
SmallVector<Loop *, 8> innermostFirst(LoopInfo &loops) {
  auto order = loops.getLoopsInPreorder();
  return {order.rbegin(), order.rend()};
}

/// Is there anything to be done, or said, about loops of the function?
bool hasLoopOfInterest(Function &f) {
  bool talks = OptimizationRemarkEmitter(&f).allowExtraAnalysis("rsan");
  auto ofInterest = [&](Instruction &i) {
    auto *call = dyn_cast<CallBase>(&i);
    return mayBeAttempt(i) || (talks && (atomicAddress(i) || (call && callsAtomics(*call))));
  };
  if (none_of(instructions(f), ofInterest))
    return false;
  DominatorTree dominators(f);
  LoopInfo loops(dominators);
  return any_of(instructions(f),
                [&](Instruction &i) { return loops.getLoopFor(i.getParent()) && ofInterest(i); });
}

std::string number(const Value *v) {
  auto *c = dyn_cast<ConstantInt>(v);
  return c ? toString(c->getValue(), 10, /*Signed=*/true) : "the value given";
}

std::string describe(const Attempt &attempt) {
  if (isa<AtomicCmpXchgInst>(attempt.access))
    return "the compare-exchange succeeds";
  static const char *const relations[] = {"==", "!=", "<", "<=", ">", ">=", "<", "<=", ">", ">="};
  const Condition &c = attempt.condition;
  auto *mask = dyn_cast<ConstantInt>(c.mask);
  auto *rmw = dyn_cast<AtomicRMWInst>(attempt.access);
  bool exchange = rmw && rmw->getOperation() == AtomicRMWInst::Xchg;
  std::string left = !rmw ? "the value read" : exchange ? "the value exchanged" : "the value found";
  if (!mask)
    left = "(" + left + " & a mask)";
  else if (!mask->isMinusOne())
    left = "(" + left + " & 0x" + toString(mask->getValue(), 16, false) + ")";
  std::string sign = c.relation >= 6 ? " (signed)" : "";
  return left + " " + relations[c.relation] + " " + number(c.value) + sign;
}

/// Where the loop is written, not the header that an access was inlined from.
DiagnosticLocation placeOf(const Instruction &access) {
  const DILocation *location = access.getDebugLoc();
  while (location && location->getInlinedAt())
    location = location->getInlinedAt();
  return DebugLoc(location);
}

void say(OptimizationRemarkEmitter &emitter, const Copy &copy, const Verdict &verdict) {
  Instruction *where = copy.original(verdict.where);
  if (!where)
    return;
  emitter.emit([&] {
    OptimizationRemark remark("rsan", "SpinLoop", placeOf(*where), where->getParent());
    remark << "this loop is a wait: it ends when ";
    const Attempt &decisive = verdict.attempts.front(), &before = verdict.attempts.back();
    if (!isa<LoadInst>(decisive.access) && isa<LoadInst>(before.access))
      remark << describe(before) << " and then ";
    return remark << describe(decisive);
  });
}

void sayNot(OptimizationRemarkEmitter &emitter, const Copy &copy, const Verdict &verdict) {
  Instruction *where = verdict.where ? copy.original(verdict.where) : nullptr;
  if (!where)
    return;
  emitter.emit([&] {
    OptimizationRemarkMissed remark("rsan", "SpinLoop", placeOf(*where), where->getParent());
    if (!verdict.reason)
      return remark << "this loop does not wait: "
                       "no value that an atomic access finds decides when it ends";
    remark << "this loop is no wait: " << verdict.reason;
    auto *call = dyn_cast<CallBase>(where);
    if (call && call->getCalledFunction())
      remark << " (" << demangle(call->getCalledFunction()->getName()) << ")";
    return remark;
  });
}

class Rewriter {
public:
  Rewriter(Function &f, FunctionAnalysisManager &fam)
      : emitter(&f), dominators(f), copy(f, fam),
        copyDominators(fam.getResult<DominatorTreeAnalysis>(*copy.function)),
        copyLoops(fam.getResult<LoopAnalysis>(*copy.function)) {}

  bool run() {
    SpinAnalysis analysis(copyLoops, copyDominators, emitter.allowExtraAnalysis("rsan"));
    for (Loop *loop : innermostFirst(copyLoops)) {
      Verdict verdict = analysis.analyse(loop);
      for (const Attempt &attempt : verdict.attempts)
        if (!canReplace(copy, dominators, attempt))
          verdict.reason = "the value that it waits for is not at hand before the access";
      if (verdict.reason || verdict.attempts.empty()) {
        analysis.withdraw(loop);
        sayNot(emitter, copy, verdict);
        continue;
      }
      for (Attempt &attempt : verdict.attempts)
        attempt.condition.alone =
            isa<LoadInst>(attempt.access) && servesConditionAlone(*loop, *attempt.access);
      say(emitter, copy, verdict);
      silent.insert(verdict.silent.begin(), verdict.silent.end());
      accepted.append(verdict.attempts.begin(), verdict.attempts.end());
    }
    addLocks();
    // A value that one waits for may be what another one found.
    SmallVector<CallInst *, 8> calls;
    for (const Attempt &attempt : accepted)
      calls.push_back(callAttempt(copy, dominators, attempt, silent.contains(attempt.access)));
    // Only now: the value that one waits for may be what another one found.
    for (auto [attempt, call] : zip(accepted, calls)) {
      Instruction *place = copy.original(attempt.access);
      IRBuilder<> b(place);
      replaceAccess(b, place, call);
    }
    return !accepted.empty();
  }

private:
  void addLocks() {
    for (const Attempt &attempt : findLockAttempts(copy)) {
      auto isSame = [&](const Attempt &other) { return other.access == attempt.access; };
      if (none_of(accepted, isSame) && canReplace(copy, dominators, attempt))
        accepted.push_back(attempt);
    }
  }

  OptimizationRemarkEmitter emitter;
  DominatorTree dominators; // of the original
  Copy copy;
  DominatorTree &copyDominators;
  LoopInfo &copyLoops;
  SmallVector<Attempt, 8> accepted;
  SmallPtrSet<Instruction *, 8> silent;
};

} // namespace

bool mayHaveSpinLoops(const Function &f) {
  bool computedGoto = any_of(f, [](const BasicBlock &block) { return block.hasAddressTaken(); });
  return !f.isPresplitCoroutine() && !computedGoto;
}

bool rewriteSpinLoops(Function &f, FunctionAnalysisManager &fam) {
  return mayHaveSpinLoops(f) && (hasLoopOfInterest(f) || mayHaveLockAttempts(f)) &&
         Rewriter(f, fam).run();
}

} // namespace rsan
