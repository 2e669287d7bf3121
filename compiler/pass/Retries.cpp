// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Episodes: v = load(x); while (!compare_exchange(&x, &v, f(v))); with nothing else in them.
//
// An episode begins with a load of an object. Each way from there leads to a compare-exchange of
// that object which expects `e`: the value of the load or, from the second attempt on, any other.
// Each way from its failure leads to the next attempt. So the only ways out are the successes.
//
// Why older values do no harm. Take an execution in which the load, or a compare-exchange that
// fails, reads older values, and whose last attempt succeeds, by a compare-exchange that finds the
// value v, which some write w has left. Let the load read w, too, and make that compare-exchange
// at once, without the attempts in between. The result is an execution of the same program:
//   - the thread comes to the same compare-exchange, with the same operands, and goes on in the
//     same way: all that is used there or afterwards depends on `e`, which is v both times, and on
//     what was there before the episode (findTaint, checkTaint)
//   - no other thread sees a difference: failures and loads write nothing, and between the load and
//     the compare-exchange is nothing that others could see, or that reads what others write
//     (isSilent), but for stores that each attempt makes to the same addresses. The last attempt
//     makes them once more. A thread that reads what an earlier one has stored there has a data
//     race, and has it with the last one, too: a relaxed load orders neither (isOwnStore,
//     checkStores).
//   - it is consistent with the memory model: what the load acquires by reading w, the
//     compare-exchange acquires, too, for its order is not weaker (checkOrder). To leave out the
//     other attempts only takes away what they have acquired.
// The values are read as in an interleaving, and everything else is as before. A thread whose
// episode has not ended might as well have stopped in front of it.
//
// Not accepted, although they look alike: a way out that does not depend on a success, such as a
// return for one value (nobody checks that value again), a failure after which the function ends,
// a compare-exchange that acquires less than the load, an access of other memory in between (it may
// be older, too), and a count of the attempts that is used.

#include "Retries.h"

#include "Harmless.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/AtomicOrdering.h"

#include "Port.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace rsan {
namespace {

const unsigned maxSteps = 2000; // blocks that are walked from one load

/// Does it neither change anything that others could see, nor depend on what others write?
bool isSilent(const Instruction &i) {
  if (isa<PHINode>(i) || isa<BranchInst>(i) || isa<SwitchInst>(i) || i.isDebugOrPseudoInst() ||
      i.isLifetimeStartOrEnd())
    return true;
  if (auto *call = dyn_cast<CallBase>(&i))
    if (isHarmlessCall(*call))
      return !isa<InvokeInst>(call);
  return !i.mayReadOrWriteMemory() && !i.mayHaveSideEffects() && !i.isTerminator() &&
         isSafeToSpeculativelyExecute(&i);
}

/// An episode that begins with `load`, with attempts that expect `expected`.
class Episode {
public:
  Episode(LoadInst &load, Instruction &expected, const DominatorTree &dominators)
      : load(load), expected(expected), dominators(dominators) {}

  bool run() {
    State start = &load == &expected ? State::Attempt : State::Entry;
    walked.insert(load.getParent());
    return walk(nullptr, std::next(load.getIterator()), {start, nullptr}) && !exchanges.empty() &&
           checkOrder() && checkStores() && findTaint() && checkTaint();
  }

  SmallPtrSet<const AtomicCmpXchgInst *, 4> exchanges;

  /// Does nothing but a failure lead from that block to the next attempt?
  bool comesFromFailure(const BasicBlock *block) const {
    return failures.contains(block) && dominators.dominates(expected.getParent(), block);
  }

private:
  enum State {
    Entry,   // between the load and the place where `expected` is known
    Attempt, // from there to the compare-exchange
    Made,    // behind it, before anything depends on whether it succeeded
    Failed,
  };
  struct Position {
    State state;
    const AtomicCmpXchgInst *cas; // that was made
  };

  LoadInst &load;
  Instruction &expected; // `load`, or a phi
  const DominatorTree &dominators;
  SmallPtrSet<const BasicBlock *, 16> walked;
  SmallPtrSet<const StoreInst *, 4> stores;      // of attempts
  SmallPtrSet<const BasicBlock *, 4> failures;   // from which the next attempt is made
  DenseMap<const BasicBlock *, unsigned> states; // of the terminators
  SmallPtrSet<const Value *, 16> tainted;        // depends on how many attempts there were
  struct Step {
    const BasicBlock *from, *block;
    Position at;
    bool operator==(const Step &other) const {
      return from == other.from && block == other.block && at.state == other.at.state &&
             at.cas == other.at.cas;
    }
  };
  SmallVector<Step, 32> done, open; // `open`: steps on the way to here
  unsigned steps = 0;

  static unsigned bit(State state) { return 1u << state; }

  bool isAttempt(const AtomicCmpXchgInst &cas) const {
    return cas.getPointerOperand() == load.getPointerOperand() &&
           cas.getCompareOperand()->getType() == load.getType() &&
           withoutCasts(cas.getCompareOperand()) == &expected &&
           cas.getSyncScopeID() == load.getSyncScopeID() && !cas.isVolatile();
  }

  /// A plain store, such as `node->next = v'. It is accepted if the load is relaxed, because then
  /// the load does not order it after another thread's access.
  bool isOwnStore(const Instruction &i) const {
    auto *store = dyn_cast<StoreInst>(&i);
    return store && store->isSimple() && load.getOrdering() == AtomicOrdering::Monotonic;
  }

  /// Is the value the same in each attempt?
  bool isInvariant(const Value *v) const {
    auto *i = dyn_cast<Instruction>(v);
    if (!i || !walked.contains(i->getParent()))
      return true;
    return !isa<PHINode>(i) && i != &load && i != &expected && !i->mayReadOrWriteMemory() &&
           all_of(i->operands(), [&](const Use &use) { return isInvariant(use); });
  }

  /// Does each attempt store there?
  bool checkStores() const {
    return all_of(stores, [&](const StoreInst *store) {
      return isInvariant(store->getPointerOperand()) && dominators.dominates(&expected, store) &&
             all_of(exchanges,
                    [&](const AtomicCmpXchgInst *cas) { return dominators.dominates(store, cas); });
    });
  }

  /// Does the instruction load the object, as a thread may after an attempt that failed?
  bool isLook(const Instruction &i) const {
    auto *look = dyn_cast<LoadInst>(&i);
    return look && look->isAtomic() && look->getPointerOperand() == load.getPointerOperand();
  }

  /// Does the condition say that it has succeeded? A weak one may find the value and fail.
  static bool tellsSuccess(const Value *condition, const AtomicCmpXchgInst &cas, bool &when) {
    const Value *flag = condition;
    for (const Value *inner; match(flag, m_Not(m_Value(inner)));)
      flag = inner;
    return (!cas.isWeak() || match(flag, m_ExtractValue<1>(m_Specific(&cas)))) &&
           saysSuccess(condition, cas, when);
  }

  /// Returns the condition that decides the branch `end` when control comes from the block `from`.
  /// Returns null if `end` is no conditional branch.
  static const Value *conditionOf(const Instruction &end, const BasicBlock *from) {
    auto *branch = dyn_cast<BranchInst>(&end);
    if (!branch || !branch->isConditional() || branch->getSuccessor(0) == branch->getSuccessor(1))
      return nullptr;
    auto *phi = dyn_cast<PHINode>(branch->getCondition());
    return phi && from && phi->getParent() == end.getParent() ? phi->getIncomingValueForBlock(from)
                                                              : branch->getCondition();
  }

  /// Returns the successor that is reached by a success alone, or -1. Sets `exact` if the other
  /// successor is reached by a failure alone.
  static int successOf(const Value *condition, const AtomicCmpXchgInst *cas, bool &exact) {
    if (!cas || !condition)
      return -1;
    const Value *left, *right;
    bool when = true;
    exact = tellsSuccess(condition, *cas, when);
    if (exact)
      return when ? 0 : 1;
    const bool both = match(condition, m_LogicalAnd(m_Value(left), m_Value(right)));
    if (!both && !match(condition, m_LogicalOr(m_Value(left), m_Value(right))))
      return -1;
    for (const Value *part : {left, right})
      if (when = true; tellsSuccess(part, *cas, when) && when == both)
        return both ? 0 : 1;
    return -1;
  }

  /// Walks from `begin` on. `from` is the block before, if `begin` is the beginning of its block.
  bool walk(const BasicBlock *from, BasicBlock::const_iterator begin, Position at) {
    const BasicBlock *block = begin->getParent();
    for (auto i = begin; i != block->end(); ++i) {
      if (&*i == &expected)
        return at.state == Failed; // the next attempt
      auto *cas = dyn_cast<AtomicCmpXchgInst>(&*i);
      if (cas && at.state == Attempt && isAttempt(*cas)) {
        exchanges.insert(cas);
        at = {Made, cas};
      } else if (at.state == Attempt && isOwnStore(*i)) {
        stores.insert(cast<StoreInst>(&*i));
      } else if (!isSilent(*i) && !(at.state == Failed && isLook(*i))) {
        return false;
      }
    }
    states[block] |= bit(at.state);
    return walkOn(*block->getTerminator(), from, at);
  }

  bool walkOn(const Instruction &end, const BasicBlock *from, Position at) {
    if (!isa<BranchInst>(end) && !isa<SwitchInst>(end))
      return false;
    const Value *condition = conditionOf(end, from);
    bool exact = false;
    const int success = successOf(condition, at.cas, exact);
    if (auto *known = dyn_cast_or_null<ConstantInt>(condition))
      return enter(end.getParent(), end.getSuccessor(known->isOne() ? 0 : 1), at);
    for (int n = 0; n < (int)end.getNumSuccessors(); n++) {
      const Position next = {exact ? Failed : at.state, at.cas};
      if (n != success && !enter(end.getParent(), end.getSuccessor(n), next))
        return false;
    }
    return true;
  }

  bool enter(const BasicBlock *from, const BasicBlock *block, Position at) {
    if (block == expected.getParent() && isa<PHINode>(expected)) {
      if (at.state == Failed) {
        failures.insert(from);
        return true;
      }
      auto &phi = cast<PHINode>(expected);
      if (at.state != Entry || withoutCasts(phi.getIncomingValueForBlock(from)) != &load)
        return false;
      at.state = Attempt;
    }
    const Step step = {from, block, at};
    if (is_contained(open, step) && at.state != Failed)
      return false; // goes round without an attempt
    if (is_contained(done, step))
      return true;
    if (++steps > maxSteps)
      return false;
    walked.insert(block);
    done.push_back(step);
    open.push_back(step);
    bool ends = walk(from, block->getFirstNonPHIIt(), at);
    open.pop_back();
    return ends;
  }

  bool checkOrder() const {
    return all_of(exchanges, [&](const AtomicCmpXchgInst *cas) {
      return isAtLeastOrStrongerThan(cas->getSuccessOrdering(), load.getOrdering());
    });
  }

  /// Each attempt computes anew the values behind the place where `expected` becomes known. An
  /// older value may come from an attempt before, or from the load alone: it is tainted.
  bool findTaint() {
    if (&load != &expected)
      tainted.insert(&load);
    for (const BasicBlock *block : walked)
      if (!dominators.properlyDominates(expected.getParent(), block))
        for (const PHINode &phi : block->phis())
          if (&phi != &expected &&
              (block != load.getParent() || (states.lookup(block) & bit(Failed)) ||
               block == expected.getParent()))
            tainted.insert(&phi);
    SmallVector<const Value *, 16> next(tainted.begin(), tainted.end());
    while (!next.empty()) {
      const Value *value = next.pop_back_val();
      for (const User *user : value->users()) {
        auto *i = cast<Instruction>(user);
        if (i != &expected && !i->isTerminator() && !i->getType()->isVoidTy() &&
            tainted.insert(i).second)
          next.push_back(i);
      }
      if (tainted.size() > maxSteps)
        return false;
    }
    return true;
  }

  bool checkTaint() const {
    for (const Value *value : tainted)
      for (const User *user : value->users())
        if (!mayUse(*cast<Instruction>(user)))
          return false;
    return true;
  }

  bool mayUse(const Instruction &user) const {
    const BasicBlock *block = user.getParent();
    if (&user == &expected)
      return true;
    if (!walked.contains(block) || isa<AtomicCmpXchgInst>(user) || isa<StoreInst>(user))
      return false;
    return !user.isTerminator() || !(states.lookup(block) & (bit(Attempt) | bit(Made)));
  }
};

using Entries = DenseMap<const Instruction *, SmallPtrSet<const Value *, 4>>; // loads, by expected

/// Are the values that `phi` may have at first those of loads that begin episodes?
bool beginsWith(const PHINode &phi, const SmallPtrSetImpl<const Value *> &loads,
                const Episode &episode) {
  for (unsigned n = 0; n < phi.getNumIncomingValues(); n++)
    if (!episode.comesFromFailure(phi.getIncomingBlock(n)) &&
        !loads.contains(withoutCasts(phi.getIncomingValue(n))))
      return false;
  return true;
}

} // namespace

const Value *withoutCasts(const Value *v) {
  for (;;) {
    auto *cast = dyn_cast<CastInst>(v);
    const DataLayout *layout = cast ? &cast->getModule()->getDataLayout() : nullptr;
    if (!cast || !cast->isNoopCast(*layout))
      return v;
    v = cast->getOperand(0);
  }
}

bool saysSuccess(const Value *condition, const AtomicCmpXchgInst &cas, bool &when) {
  for (const Value *inner; match(condition, m_Not(m_Value(inner))); condition = inner)
    when = !when;
  if (match(condition, m_ExtractValue<1>(m_Specific(&cas))))
    return true;
  MatchedPredicate p;
  const Value *left, *right;
  if (!match(condition, m_ICmp(p, m_Value(left), m_Value(right))) || !ICmpInst::isEquality(p))
    return false;
  const Value *expected = withoutCasts(cas.getCompareOperand());
  const Value *a = withoutCasts(left), *b = withoutCasts(right);
  when ^= p == ICmpInst::ICMP_NE;
  return (a == expected && match(b, m_ExtractValue<0>(m_Specific(&cas)))) ||
         (b == expected && match(a, m_ExtractValue<0>(m_Specific(&cas))));
}

Retried findRetried(Function &f, const DominatorTree &dominators) {
  Retried retried;
  std::vector<std::pair<PHINode *, Episode>> byPhi;
  Entries entries;
  for (Instruction &i : instructions(f)) {
    auto *load = dyn_cast<LoadInst>(&i);
    if (!load || !load->isAtomic() || load->isVolatile())
      continue;
    SmallVector<Instruction *, 4> values = {load};
    for (User *user : load->users())
      if (auto *phi = dyn_cast<PHINode>(user))
        if (!is_contained(values, phi))
          values.push_back(phi);
    for (Instruction *expected : values) {
      Episode episode(*load, *expected, dominators);
      if (!episode.run())
        continue;
      retried.insert(load);
      if (auto *phi = dyn_cast<PHINode>(expected)) {
        entries[phi].insert(load);
        byPhi.push_back({phi, episode});
      } else {
        retried.insert(episode.exchanges.begin(), episode.exchanges.end());
      }
    }
  }
  for (const auto &[phi, episode] : byPhi)
    if (beginsWith(*phi, entries[phi], episode))
      retried.insert(episode.exchanges.begin(), episode.exchanges.end());
  return retried;
}

} // namespace rsan
