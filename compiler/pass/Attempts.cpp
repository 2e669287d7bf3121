// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a loop ends: which of its accesses decides, and by which values. The shapes:
//   single     while (load != 1);    while (exchange(1));    while (!compare_exchange(0, 1));
//   readAgain  v = load; while (v != 1) v = load;
//   guarded    while (load || exchange(1));    do while (load); while (exchange(1));
//   innerWaits while (exchange(1)) while (load);

#include "LoopAnalyser.h"
#include "Port.h"

#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace rsan {

/// `ends`: does the wait end where the branch goes to?
bool LoopAnalyser::matchBranch(Instruction *terminator, function_ref<bool(BasicBlock *)> ends,
                               Value *found, Instruction *attempt, Condition &condition) {
  unsigned bits = waitBits(attempt);
  if (!bits)
    return fail("the object is too large");
  auto staysTheSame = [this](Value *v) { return invariant(v); };
  Matcher matcher(found, bits, attempt, staysTheSame);
  bool matched = false;
  if (auto *branch = dyn_cast<BranchInst>(terminator)) {
    if (branch->isUnconditional() || ends(branch->getSuccessor(0)) == ends(branch->getSuccessor(1)))
      return fail("a branch does not decide");
    matched = matcher.branch(branch->getCondition(), ends(branch->getSuccessor(0)));
  } else if (auto *choice = dyn_cast<SwitchInst>(terminator)) {
    bool others = ends(choice->getDefaultDest()); // values that no case names end the wait
    SmallVector<APInt, 4> exceptions;
    for (auto &one : choice->cases())
      if (ends(one.getCaseSuccessor()) != others)
        exceptions.push_back(one.getCaseValue()->getValue());
    // Two that differ in one bit are one, with a mask.
    bool pair = exceptions.size() == 2 && (exceptions[0] ^ exceptions[1]).isPowerOf2();
    if (exceptions.size() != 1 && !pair)
      return fail("it ends on a choice of values");
    APInt different = exceptions.front() ^ exceptions.back();
    matched = matcher.select(choice->getCondition(), exceptions[0], different, !others);
  }
  condition = matcher.result;
  return matched || fail(matcher.reason ? matcher.reason : "a branch does not decide");
}

bool LoopAnalyser::decidesExchange(AtomicCmpXchgInst *cas) {
  const char *const noSuccess = "it does not end with the success of the compare-exchange";
  if (!waitBits(cas))
    return fail("the object is too large");
  Value *expected = cas->getCompareOperand(), *desired = cas->getNewValOperand();
  if (!invariant(expected) && expected != guardedValue)
    return fail("the value that it expects changes");
  if (!invariant(desired) &&
      !(expected == guardedValue && dependsOn(desired, guardedValue) && ofLastAttempt(desired)))
    return fail("the value that it writes changes");
  auto *branch = dyn_cast<BranchInst>(exit);
  if (!branch || branch->isUnconditional() ||
      loop->contains(branch->getSuccessor(0)) == loop->contains(branch->getSuccessor(1)))
    return fail(noSuccess);
  Value *condition = branch->getCondition(), *negated;
  bool when = !loop->contains(branch->getSuccessor(0));
  while (match(condition, m_Not(m_Value(negated)))) {
    when = !when;
    condition = negated;
  }
  MatchedPredicate p;
  bool success = match(condition, m_ExtractValue<1>(m_Specific(cas)));
  // A strong compare-exchange has succeeded exactly if the old value is the expected one.
  if (!cas->isWeak() &&
      match(condition, m_c_ICmp(p, m_ExtractValue<0>(m_Specific(cas)), m_Specific(expected))) &&
      ICmpInst::isEquality(p)) {
    success = true;
    when ^= p == ICmpInst::ICMP_NE;
  }
  return (success && when) || fail(noSuccess);
}

bool LoopAnalyser::decides(Verdict &verdict, Instruction *attempt, Value *found) {
  Attempt result = {attempt, {}};
  if (auto *cas = dyn_cast<AtomicCmpXchgInst>(attempt)) {
    if (!decidesExchange(cas))
      return false;
  } else {
    auto *rmw = dyn_cast<AtomicRMWInst>(attempt);
    if (rmw && !invariant(rmw->getValOperand()))
      return fail("the value that it writes changes");
    auto leaves = [&](BasicBlock *to) { return !loop->contains(to); };
    if (!matchBranch(exit, leaves, found, attempt, result.condition))
      return false;
  }
  verdict.attempts.push_back(result);
  return true;
}

/// The value that a read at the end of the body hands to the test at the start of the next round.
PHINode *LoopAnalyser::carriedBy(LoadInst *load) {
  for (PHINode &phi : loop->getHeader()->phis()) {
    bool carried = phi.getNumIncomingValues() == 2;
    for (unsigned n = 0; n < phi.getNumIncomingValues(); n++)
      carried &= !loop->contains(phi.getIncomingBlock(n)) || phi.getIncomingValue(n) == load;
    if (carried)
      return &phi;
  }
  return nullptr;
}

/// From here the next thing that happens is the block that follows.
static bool onlyIdleAfter(Instruction *i) {
  for (i = i->getNextNode(); !i->isTerminator(); i = i->getNextNode())
    if (!isIdle(*i))
      return false;
  auto *branch = dyn_cast<BranchInst>(i);
  return branch && branch->isUnconditional();
}

/// Has nothing but `phi` the value `v`, notes of the copy apart?
static bool onlyFeeds(Value *v, PHINode *phi, unsigned depth = 0) {
  return all_of(v->users(), [&](User *user) {
    auto *call = dyn_cast<CallInst>(user);
    return user == phi || (call && Copy::isSnapshot(*call)) ||
           (isa<PHINode>(user) && depth < 4 && onlyFeeds(user, phi, depth + 1));
  });
}

bool LoopAnalyser::readAgain(Verdict &verdict, LoadInst *load) {
  PHINode *phi = carriedBy(load);
  if (!phi || !inner.empty())
    return fail("it can end without this access");
  unsigned outside = loop->contains(phi->getIncomingBlock(0)) ? 1 : 0;
  auto *first = dyn_cast<LoadInst>(phi->getIncomingValue(outside));
  // The run without the vain attempts has only the first: it must be as good as the others.
  if (!first || !isAttempt(*first) || addressOf(first) != address ||
      first->getType() != load->getType() || first->getOrdering() != load->getOrdering() ||
      !onlyFeeds(first, phi) || first->getParent() != phi->getIncomingBlock(outside) ||
      !onlyIdleAfter(first))
    return fail("the first read, before the loop, is not like those in it");
  last = phi;
  if (!decides(verdict, load, phi))
    return false;
  verdict.attempts.push_back({first, verdict.attempts[0].condition});
  return true;
}

bool LoopAnalyser::single(Verdict &verdict) {
  Instruction *attempt = own[0];
  if (!inEachRound(exit->getParent()))
    return fail("it does not look at the value in each round");
  if (all.dominators.dominates(attempt, exit))
    return decides(verdict, attempt, attempt);
  auto *load = dyn_cast<LoadInst>(attempt);
  return load ? readAgain(verdict, load) : fail("it can end without this access");
}

bool LoopAnalyser::guarded(Verdict &verdict) {
  bool firstLoads = isa<LoadInst>(own[0]);
  auto *load = dyn_cast<LoadInst>(own[firstLoads ? 0 : 1]);
  Instruction *attempt = own[firstLoads ? 1 : 0];
  if (!load || isa<LoadInst>(attempt) || !inner.empty())
    return fail("it contains several accesses");
  BasicBlock *test = load->getParent(), *then = attempt->getParent();
  // Each round tests; where the test succeeds, the attempt follows and decides.
  if (test == then || !inEachRound(test) || exit->getParent() != then ||
      then->getSinglePredecessor() != test)
    return fail("it contains several accesses that do not follow each other");
  Attempt guard = {load, {}};
  auto goesOn = [&](BasicBlock *to) { return to == then; };
  if (!matchBranch(test->getTerminator(), goesOn, load, load, guard.condition))
    return false;
  auto *mask = dyn_cast<ConstantInt>(guard.condition.mask);
  if (guard.condition.relation == 0 && mask && mask->isMinusOne())
    guardedValue = load;
  if (!decides(verdict, attempt, attempt))
    return false;
  verdict.attempts.push_back(guard);
  return true;
}

/// Waits inside the loop. One that always comes first is part of the run that remains when the vain
/// attempts are taken away. One that follows a vain attempt is not: it has to go with it.
bool LoopAnalyser::innerWaits(Verdict &verdict) {
  for (Instruction *attempt : inner) {
    if (!isa<LoadInst>(attempt))
      return fail("a wait inside it writes");
    // A wait that reads again has its first read in front of its loop. Where that one is executed,
    // the others are.
    Instruction *first = all.firstRead(innerWait(*attempt));
    Instruction *begin = first ? first : attempt;
    if (all.dominators.dominates(own[0], begin))
      verdict.silent.push_back(attempt);
    else if (!all.dominators.dominates(begin, own[0]))
      return fail("a wait inside it is not in each round");
  }
  return true;
}

bool servesConditionAlone(const Loop &loop, const Instruction &load) {
  SmallVector<const Instruction *, 8> work{&load};
  SmallPtrSet<const Instruction *, 8> seen{&load};
  while (!work.empty()) {
    const Instruction *value = work.pop_back_val();
    for (const User *user : value->users()) {
      const auto *i = cast<Instruction>(user);
      const auto *call = dyn_cast<CallInst>(i);
      if (call && Copy::isSnapshot(*call))
        continue;
      bool passesOn = isa<CastInst>(i) || isa<BinaryOperator>(i) || isa<CmpInst>(i) ||
                      isa<SelectInst>(i) || isa<FreezeInst>(i) || isa<PHINode>(i);
      if (!loop.contains(i) || !(passesOn || isa<BranchInst>(i)))
        return false;
      if (passesOn && seen.insert(i).second)
        work.push_back(i);
    }
  }
  return true;
}

} // namespace rsan
