// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the copy back to the original: the accesses are there, but the values that they are compared
// with may still be in local variables.

#include "Access.h"
#include "LoopAnalyser.h"

#include "llvm/Analysis/ValueTracking.h"

using namespace llvm;

namespace rsan {
namespace {

const unsigned maxDepth = 8; // of expressions

/// Finds, or builds in front of the original attempt, the values of the copy.
class Builder {
public:
  Builder(const Copy &copy, DominatorTree &dominators, Instruction *attempt)
      : copy(copy), dominators(dominators), attempt(attempt), place(copy.original(attempt)) {}

  /// Without `b`, only says whether there is one (what it returns is of no use).
  Value *value(Value *v, IRBuilderBase *b, unsigned depth = 0);

private:
  Value *rebuilt(Instruction *i, IRBuilderBase *b, unsigned depth);

  const Copy &copy;
  DominatorTree &dominators;
  Instruction *attempt, *place;
};

Value *Builder::value(Value *v, IRBuilderBase *b, unsigned depth) {
  if (isa<Constant>(v))
    return v;
  if (auto *argument = dyn_cast<Argument>(v))
    return place->getFunction()->getArg(argument->getArgNo());
  if (AllocaInst *variable = copy.holder(attempt, v))
    return b ? b->CreateLoad(variable->getAllocatedType(), variable) : v;
  auto *i = dyn_cast<Instruction>(v);
  if (!i)
    return nullptr;
  if (Instruction *original = copy.original(i))
    return original->getType() == v->getType() && dominators.dominates(original, place) ? original
                                                                                        : nullptr;
  return depth < maxDepth ? rebuilt(i, b, depth) : nullptr;
}

/// What cannot fail may be computed early.
Value *Builder::rebuilt(Instruction *i, IRBuilderBase *b, unsigned depth) {
  if (!isa<BinaryOperator>(i) && !isa<CastInst>(i) && !isa<CmpInst>(i) && !isa<SelectInst>(i) &&
      !isa<FreezeInst>(i) && !isa<ExtractValueInst>(i) && !isa<GetElementPtrInst>(i))
    return nullptr;
  if (!isSafeToSpeculativelyExecute(i))
    return nullptr;
  SmallVector<Value *, 3> operands;
  for (Value *o : i->operands()) {
    Value *operand = value(o, b, depth + 1);
    if (!operand)
      return nullptr;
    operands.push_back(operand);
  }
  if (!b)
    return i;
  Instruction *again = i->clone();
  for (unsigned n = 0; n < operands.size(); n++)
    again->setOperand(n, operands[n]);
  again->dropUnknownNonDebugMetadata();
  return b->Insert(again);
}

bool needsCondition(const Instruction *attempt) {
  return !isa<AtomicCmpXchgInst>(attempt);
}

StringRef entryOf(const AtomicRMWInst &rmw) {
  switch (rmw.getOperation()) {
  case AtomicRMWInst::Or:
    return "wait_fetch_or";
  case AtomicRMWInst::And:
    return "wait_fetch_and";
  default:
    return "wait_exchange";
  }
}

/// The copy may say the same in another way: fetch_add(0) is fetch_or(0) there, fetch_or(-1) is
/// exchange(-1). Then its operand is a constant, which holds in the original as well.
Value *operandOf(AtomicRMWInst &original, AtomicRMWInst &copied) {
  return original.getOperation() == copied.getOperation() ? original.getValOperand()
                                                          : copied.getValOperand();
}

ICmpInst::Predicate predicateOf(unsigned relation) {
  static const ICmpInst::Predicate predicates[] = {ICmpInst::ICMP_EQ,  ICmpInst::ICMP_NE,
                                                   ICmpInst::ICMP_ULT, ICmpInst::ICMP_ULE,
                                                   ICmpInst::ICMP_UGT, ICmpInst::ICMP_UGE};
  return predicates[relation];
}

/// The runtime takes the mask 0 for all bits. A mask that turns out to be 0 leaves 0 of whatever is
/// found: the condition holds always (>= 0) or never (< 0).
Value *relationOf(IRBuilderBase &b, Condition &condition) {
  const unsigned never = 2, always = 5, alone = 16; // the runtime's numbers
  unsigned flag = condition.alone ? alone : 0;
  Value *relation = b.getInt32(condition.relation | flag);
  if (isa<Constant>(condition.mask))
    return relation;
  Constant *zero = ConstantInt::get(condition.mask->getType(), 0);
  Constant *all = Constant::getAllOnesValue(condition.mask->getType());
  Value *empty = b.CreateICmpEQ(condition.mask, zero);
  Value *holds = b.CreateICmp(predicateOf(condition.relation), zero, condition.value);
  Value *instead = b.CreateSelect(holds, b.getInt32(always | flag), b.getInt32(never | flag));
  condition.mask = b.CreateSelect(empty, all, condition.mask);
  if (condition.value != zero)
    condition.value = b.CreateSelect(empty, zero, condition.value);
  return b.CreateSelect(empty, instead, relation);
}

/// The entry point that waits.
CallInst *callWait(IRBuilderBase &b, Instruction *access, const Attempt &attempt, unsigned bits,
                   Condition condition) {
  if (auto *cas = dyn_cast<AtomicCmpXchgInst>(access))
    return callAtomic(b, bits, attempt.once ? "try_compare_exchange" : "wait_compare_exchange",
                      {cas->getPointerOperand(), toBits(b, cas->getCompareOperand(), bits),
                       toBits(b, cas->getNewValOperand(), bits),
                       orderArgument(b, cas->getSuccessOrdering()),
                       orderArgument(b, cas->getFailureOrdering())});
  Value *relation = relationOf(b, condition);
  if (auto *rmw = dyn_cast<AtomicRMWInst>(access)) {
    auto *copied = cast<AtomicRMWInst>(attempt.access);
    return callAtomic(b, bits, entryOf(*copied),
                      {rmw->getPointerOperand(), toBits(b, operandOf(*rmw, *copied), bits),
                       orderArgument(b, rmw->getOrdering()), relation, condition.mask,
                       condition.value});
  }
  auto *load = cast<LoadInst>(access);
  return callAtomic(b, bits, "wait_load",
                    {load->getPointerOperand(), orderArgument(b, load->getOrdering()), relation,
                     condition.mask, condition.value});
}

} // namespace

bool canReplace(const Copy &copy, DominatorTree &dominators, const Attempt &attempt) {
  Instruction *place = copy.original(attempt.access);
  if (!place || place->getOpcode() != attempt.access->getOpcode() ||
      waitBits(place) != waitBits(attempt.access))
    return false;
  if (auto *rmw = dyn_cast<AtomicRMWInst>(attempt.access))
    if (rmw->getOperation() != cast<AtomicRMWInst>(place)->getOperation() &&
        !isa<Constant>(rmw->getValOperand()))
      return false;
  Builder builder(copy, dominators, attempt.access);
  return !needsCondition(attempt.access) || (builder.value(attempt.condition.mask, nullptr) &&
                                             builder.value(attempt.condition.value, nullptr));
}

CallInst *callAttempt(const Copy &copy, DominatorTree &dominators, const Attempt &attempt,
                      bool silent) {
  Instruction *place = copy.original(attempt.access);
  IRBuilder<> b(place);
  unsigned bits = waitBits(place);
  if (silent)
    return callAtomic(b, bits, "peek", {addressOf(place)});
  Condition condition = attempt.condition;
  if (needsCondition(place)) {
    Builder builder(copy, dominators, attempt.access);
    condition.mask = builder.value(condition.mask, &b);
    condition.value = builder.value(condition.value, &b);
  }
  return callWait(b, place, attempt, bits, condition);
}

} // namespace rsan
