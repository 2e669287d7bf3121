// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Does a loop only wait? That is: would the rest of the run be the same if the attempts that did
// not end it had not been made?

#include "Access.h"
#include "Harmless.h"
#include "LoopAnalyser.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace rsan {
namespace {

const unsigned maxDepth = 8;    // of expressions
const unsigned maxValues = 200; // in one

bool isPure(const Instruction &i) {
  return isa<BinaryOperator>(i) || isa<CastInst>(i) || isa<CmpInst>(i) || isa<SelectInst>(i) ||
         isa<GetElementPtrInst>(i) || isa<FreezeInst>(i) || isa<UnaryOperator>(i) ||
         isa<ExtractValueInst>(i);
}

bool isConstantLoad(const Instruction &i) {
  auto *load = dyn_cast<LoadInst>(&i);
  auto *global =
      load ? dyn_cast<GlobalVariable>(load->getPointerOperand()->stripPointerCasts()) : nullptr;
  return global && global->isConstant() && load->isSimple();
}

/// Only undefined behaviour goes there.
bool leadsNowhere(const BasicBlock *block) {
  return isa<UnreachableInst>(block->getFirstNonPHIOrDbgOrLifetime());
}

/// A note of the copy says what variables hold; nobody uses it.
bool isNote(const User *user) {
  auto *call = dyn_cast<CallInst>(user);
  return call && Copy::isSnapshot(*call);
}

Type *accessedType(Instruction *attempt) {
  auto *cas = dyn_cast<AtomicCmpXchgInst>(attempt);
  return cas ? cas->getCompareOperand()->getType() : attempt->getType();
}

} // namespace

bool callsAtomics(const CallBase &call) {
  const unsigned maxFunctions = 50; // more only cost time
  SmallSetVector<const Function *, 16> called;
  if (const Function *callee = call.getCalledFunction())
    called.insert(callee);
  for (unsigned n = 0; n < called.size() && n < maxFunctions; n++)
    for (const Instruction &i : instructions(*called[n])) {
      auto *inner = dyn_cast<CallBase>(&i);
      const Function *callee = inner ? inner->getCalledFunction() : nullptr;
      // An access that was made a wait earlier is a call by now.
      if (atomicAddress(i) || (callee && callee->getName().starts_with("__rsan_atomic")))
        return true;
      if (callee)
        called.insert(callee);
    }
  return false;
}

bool isIdle(const Instruction &i) {
  if (auto *fence = dyn_cast<FenceInst>(&i))
    return fence->getSyncScopeID() == SyncScope::SingleThread;
  if (auto *call = dyn_cast<CallInst>(&i))
    return Copy::isSnapshot(*call) || isHarmlessCall(*call);
  return isConstantLoad(i) || (!i.mayReadOrWriteMemory() && !i.mayHaveSideEffects());
}

Value *addressOf(Instruction *attempt) {
  return atomicAddress(*attempt)->stripPointerCasts();
}

unsigned waitBits(Instruction *attempt) {
  unsigned bits = accessBits(attempt->getModule()->getDataLayout(), accessedType(attempt));
  return bits > 64 ? 0 : bits;
}

bool LoopAnalyser::fail(const char *why) {
  if (!reason)
    reason = why;
  return false;
}

/// The wait in the loop that has the attempt `i`, or null.
const Loop *LoopAnalyser::innerWait(const Instruction &i) const {
  for (Loop *l = all.loops.getLoopFor(i.getParent()); l != loop; l = l->getParentLoop())
    if (all.waits.contains(l))
      return l;
  for (auto [wait, first] : all.waits)
    if (first == &i && wait != loop && loop->contains(wait))
      return wait;
  return nullptr;
}

bool LoopAnalyser::visit(Instruction &i) {
  auto *call = dyn_cast<CallBase>(&i);
  if (all.loops.getLoopFor(i.getParent()) == loop && !isAttempt(i))
    if (atomicAddress(i) || (all.talks && call && callsAtomics(*call)))
      others.push_back(&i);
  if (isAttempt(i)) {
    (innerWait(i) ? inner : own).push_back(&i);
    return true;
  }
  if (isIdle(i) || isa<PHINode>(i) || isa<BranchInst>(i) || isa<SwitchInst>(i))
    return true;
  if (isa<LoadInst>(i))
    return fail("it reads other memory");
  if (isa<FenceInst>(i))
    return fail("it contains a fence");
  if (isa<AtomicRMWInst>(i))
    return fail("it contains a read-modify-write other than exchange, fetch_or and fetch_and");
  if (isa<CallBase>(i))
    return fail("it contains a call that may do something");
  return fail(i.mayWriteToMemory() ? "it writes memory" : "it contains an unknown instruction");
}

bool LoopAnalyser::collect() {
  bool good = true;
  for (BasicBlock *block : loop->blocks())
    for (Instruction &i : *block)
      good &= visit(i);
  return good;
}

bool LoopAnalyser::invariant(Value *v, unsigned depth) {
  if (loop->isLoopInvariant(v))
    return true;
  auto *i = cast<Instruction>(v);
  if (depth == maxDepth || (!isPure(*i) && !isConstantLoad(*i))) {
    auto *call = dyn_cast<IntrinsicInst>(i);
    return call && call->getIntrinsicID() == Intrinsic::threadlocal_address;
  }
  return all_of(i->operands(), [&](Value *o) { return invariant(o, depth + 1); });
}

/// A value that the last attempt fixes, however many there were.
bool LoopAnalyser::ofLastAttempt(Value *v, unsigned depth) {
  if (invariant(v) || v == last)
    return true;
  auto *i = cast<Instruction>(v);
  if (isAttempt(*i))
    return !last && !innerWait(*i);
  return depth < maxDepth && isPure(*i) &&
         all_of(i->operands(), [&](Value *o) { return ofLastAttempt(o, depth + 1); });
}

bool LoopAnalyser::dependsOn(Value *v, Value *what) {
  SmallVector<Value *, 16> todo = {v};
  SmallPtrSet<Value *, 16> seen;
  while (!todo.empty() && seen.size() < maxValues) {
    auto *i = dyn_cast<Instruction>(todo.pop_back_val());
    if (i == what)
      return true;
    if (i && seen.insert(i).second && (isPure(*i) || isa<PHINode>(i)))
      todo.append(i->op_begin(), i->op_end());
  }
  return false;
}

/// Does a value that one of these finds decide whether the loop ends? If not, nobody would take it
/// for a wait.
bool LoopAnalyser::decideEnd(ArrayRef<Instruction *> accesses) {
  SmallVector<BasicBlock *, 4> exiting;
  loop->getExitingBlocks(exiting);
  return any_of(exiting, [&](BasicBlock *block) {
    Instruction *terminator = block->getTerminator();
    return any_of(accesses, [&](Instruction *access) {
      return any_of(terminator->operands(), [&](Value *v) { return dependsOn(v, access); });
    });
  });
}

bool LoopAnalyser::sameAddress() {
  address = addressOf(own[0]);
  for (auto *attempts : {&own, &inner})
    for (Instruction *attempt : *attempts)
      if (addressOf(attempt) != address)
        return fail("it accesses more than one atomic object");
  return invariant(address) || fail("the address changes");
}

/// Is it executed in each round, whatever the rounds before did?
bool LoopAnalyser::inEachRound(const BasicBlock *block) const {
  SmallVector<BasicBlock *, 4> latches;
  loop->getLoopLatches(latches);
  return all_of(latches, [&](BasicBlock *latch) { return all.dominators.dominates(block, latch); });
}

bool LoopAnalyser::findExit() {
  SmallVector<Loop::Edge, 4> edges;
  loop->getExitEdges(edges);
  for (auto [from, to] : edges) {
    if (leadsNowhere(to))
      continue;
    Instruction *terminator = const_cast<BasicBlock *>(from)->getTerminator();
    if (exit && exit != terminator)
      return fail("it has more than one way out, such as a limit to the number of attempts");
    exit = terminator;
  }
  return exit || fail("nothing ends it");
}

bool LoopAnalyser::nothingElseLeaves() {
  for (BasicBlock *block : loop->blocks())
    for (Instruction &i : *block)
      for (User *user : i.users())
        if (!loop->contains(cast<Instruction>(user)) && !isNote(user) && !ofLastAttempt(&i))
          return fail("something that changes from one attempt to the next is used afterwards");
  return true;
}

/// Clang's loads for a memory order that is no constant.
static bool differInOrder(ArrayRef<Instruction *> attempts) {
  unsigned orders = 0;
  for (Instruction *attempt : attempts) {
    auto *load = dyn_cast<LoadInst>(attempt);
    unsigned order = load ? 1u << (unsigned)load->getOrdering() : 0;
    if (!load || addressOf(load) != addressOf(attempts[0]) || (orders & order))
      return false;
    orders |= order;
  }
  return true;
}

bool LoopAnalyser::run(Verdict &verdict) {
  bool good = collect();
  if (own.empty() || !decideEnd(own)) {
    if (!others.empty() && decideEnd(others))
      verdict.reason =
          isa<CallBase>(others[0])
              ? "it calls a function that is too large to look into, or does what a wait does not"
              : reason;
    others.append(own);
    verdict.where = others.empty() ? nullptr : others[0];
    return false;
  }
  verdict.where = own[0];
  for (Instruction *attempt : own)
    if (all.loops.getLoopFor(attempt->getParent()) != loop)
      good = fail("a loop inside it is no wait");
  if (own.size() > 2)
    good = fail(differInOrder(own)
                    ? "it contains an access for each memory order; where a call of the function "
                      "gives it as a constant, that is looked at by itself"
                    : "it contains several accesses");
  good = good && sameAddress() && findExit() && innerWaits(verdict) &&
         (own.size() == 1 ? single(verdict) : guarded(verdict)) && nothingElseLeaves();
  verdict.reason = reason;
  if (!good)
    verdict.attempts.clear();
  return good;
}

Verdict SpinAnalysis::analyse(Loop *loop) {
  Verdict verdict;
  if (LoopAnalyser(*this, loop).run(verdict)) {
    const Attempt &first = verdict.attempts.back();
    waits[loop] = loop->contains(first.access) ? nullptr : first.access;
  }
  return verdict;
}

} // namespace rsan
