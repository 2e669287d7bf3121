// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A compare-exchange whose failure leads straight to a futex call for the same lock:
//
//   if (!compare_exchange(&lock, 0, me))      if (!compare_exchange(&lock, me, 0))
//     syscall(SYS_futex, &lock, FUTEX_LOCK_PI, ...);    ... FUTEX_UNLOCK_PI ...
//
// The kernel looks at the word again, so what the compare-exchange found if it failed has no
// consequence: it is an attempt in vain, like an attempt of a loop that waits
// (docs/internals/SPIN-LOOPS.md). Unlike the latter it may fail where all schedules are explored,
// so that the kernel's part is explored.

#include "Port.h"
#include "Spin.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace rsan {
namespace {

bool isSystemCall(const Instruction &i) {
  auto *call = dyn_cast<CallInst>(&i);
  const Function *callee = call ? call->getCalledFunction() : nullptr;
  return callee && callee->getName() == "syscall" && call->arg_size() >= 3;
}

uint64_t futexNumber(const Module &m) {
  return Triple(m.getTargetTriple()).isAArch64() ? 98 : 202;
}

/// Is it the futex call that locks or unlocks there, with priority inheritance?
bool isLockCall(const Instruction &i, const Value *lock) {
  const uint64_t lockPi = 6, unlockPi = 7, lockPi2 = 13, commands = 127;
  if (!isSystemCall(i))
    return false;
  const auto &call = cast<CallInst>(i);
  auto *number = dyn_cast<ConstantInt>(call.getArgOperand(0));
  auto *operation = dyn_cast<ConstantInt>(call.getArgOperand(2));
  if (!number || !operation || call.getArgOperand(1)->stripPointerCasts() != lock)
    return false;
  const uint64_t command = operation->getZExtValue() & commands;
  return number->getZExtValue() == futexNumber(*i.getModule()) &&
         (command == lockPi || command == unlockPi || command == lockPi2);
}

bool isNothing(const Instruction &i) {
  auto *call = dyn_cast<CallInst>(&i);
  return !i.mayReadOrWriteMemory() || i.isLifetimeStartOrEnd() || (call && Copy::isSnapshot(*call));
}

/// What happens first from the begin of a block on that anybody could notice.
const Instruction *firstEffect(const BasicBlock *block) {
  for (unsigned blocks = 0; block && blocks < 4; blocks++) {
    for (const Instruction &i : *block)
      if (!isNothing(i))
        return &i;
    block = block->getSingleSuccessor();
  }
  return nullptr;
}

/// Where the compare-exchange leads to if it fails; null: not at once, or the value found is used.
const BasicBlock *afterFailure(AtomicCmpXchgInst &cas) {
  auto *branch = dyn_cast<BranchInst>(cas.getParent()->getTerminator());
  if (!branch || branch->isUnconditional())
    return nullptr;
  Value *expected = cas.getCompareOperand(), *condition = branch->getCondition(), *inner;
  bool swapped = false;
  while (match(condition, m_Not(m_Value(inner)))) {
    condition = inner;
    swapped = !swapped;
  }
  MatchedPredicate predicate;
  auto found = m_ExtractValue<0>(m_Specific(&cas));
  if (match(condition, m_c_ICmp(predicate, found, m_Specific(expected))) &&
      ICmpInst::isEquality(predicate))
    swapped ^= predicate == ICmpInst::ICMP_NE;
  else if (!match(condition, m_ExtractValue<1>(m_Specific(&cas))))
    return nullptr;
  for (const User *user : cas.users()) {
    auto *part = dyn_cast<ExtractValueInst>(user);
    auto tells = [&](const User *u) {
      auto *call = dyn_cast<CallInst>(u);
      return u != condition && !(call && Copy::isSnapshot(*call));
    };
    if (!part || (part->getIndices()[0] == 0 && any_of(part->users(), tells)))
      return nullptr;
  }
  return branch->getSuccessor(swapped ? 0 : 1);
}

bool isLockAttempt(AtomicCmpXchgInst &cas) {
  if (!cas.getCompareOperand()->getType()->isIntegerTy(32))
    return false;
  const BasicBlock *failure = afterFailure(cas);
  const Instruction *next = failure ? firstEffect(failure) : nullptr;
  return next && isLockCall(*next, cas.getPointerOperand()->stripPointerCasts());
}

} // namespace

bool mayHaveLockAttempts(const Function &f) {
  return any_of(instructions(f), [](const Instruction &i) { return isa<AtomicCmpXchgInst>(i); }) &&
         any_of(instructions(f), isSystemCall);
}

SmallVector<Attempt, 2> findLockAttempts(const Copy &copy) {
  SmallVector<Attempt, 2> found;
  for (Instruction &i : instructions(*copy.function))
    if (auto *cas = dyn_cast<AtomicCmpXchgInst>(&i); cas && isLockAttempt(*cas)) {
      found.push_back({cas, {}});
      found.back().once = true;
    }
  return found;
}

} // namespace rsan
