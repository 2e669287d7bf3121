// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Match.h"
#include "Access.h"
#include "Port.h"

#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace rsan {
namespace {

const char *const notOneComparison =
    "it ends on something else than a comparison of the value read with one that stays the same";

/// 0...01...1, as a constant?
bool isLowMask(Value *v) {
  auto *c = dyn_cast<ConstantInt>(v);
  return c && (c->isMinusOne() || (c->getValue() + 1).isPowerOf2());
}

bool isZero(Value *v) {
  auto *c = dyn_cast<ConstantInt>(v);
  return c && c->isZero();
}

unsigned width(Value *v) {
  return v->getType()->getIntegerBitWidth();
}

} // namespace

bool Matcher::fail(const char *why) {
  if (!reason)
    reason = why;
  return false;
}

bool Matcher::branch(Value *condition, bool when) {
  for (Value *inner;;) {
    if (match(condition, m_Not(m_Value(inner))))
      when = !when;
    else if (!match(condition, m_Freeze(m_Value(inner))))
      break;
    condition = inner;
  }
  MatchedPredicate p;
  Value *left, *right;
  if (match(condition, m_Trunc(m_Value(left)))) {
    unsigned size = left->getType()->getScalarSizeInBits();
    APInt lowest = APInt(size, 1);
    return select(left, when ? lowest : APInt(size, 0), ~lowest, true);
  }
  if (!match(condition, m_ICmp(p, m_Value(left), m_Value(right))))
    return fail(notOneComparison);
  return compare(when ? CmpInst::Predicate(p) : CmpInst::getInversePredicate(p), left, right);
}

bool Matcher::select(Value *selector, const APInt &value, const APInt &ignored, bool equal) {
  Type *type = selector->getType();
  if (!ignored.isZero())
    selector = b.CreateAnd(selector, ConstantInt::get(type, ~ignored));
  return compare(equal ? CmpInst::ICMP_EQ : CmpInst::ICMP_NE, selector,
                 ConstantInt::get(type, value & ~ignored));
}

bool Matcher::compare(CmpInst::Predicate p, Value *left, Value *right) {
  if (invariant(left)) {
    std::swap(left, right);
    p = CmpInst::getSwappedPredicate(p);
  }
  if (!invariant(right))
    return fail("the value read is compared with one that changes");
  if (left->getType()->isPointerTy())
    right = b.CreatePtrToInt(right, b.getIntNTy(bits));
  if (!right->getType()->isIntegerTy())
    return fail(notOneComparison);
  predicate = p;
  rest = left;
  target = right;
  mask = ConstantInt::getAllOnesValue(right->getType());
  roundCompare();
  return solve() && finish();
}

/// 'Below 2^k' says that the other bits are 0: a comparison of parts, which can be turned around
/// further.
void Matcher::roundCompare() {
  auto *limit = dyn_cast<ConstantInt>(target);
  if (!limit || rest == found || !CmpInst::isUnsigned(predicate))
    return;
  APInt bound = limit->getValue();
  bool within = predicate == CmpInst::ICMP_ULT || predicate == CmpInst::ICMP_ULE;
  if (predicate == CmpInst::ICMP_ULE || predicate == CmpInst::ICMP_UGT)
    bound += 1;
  if (!bound.isPowerOf2())
    return;
  predicate = within ? CmpInst::ICMP_EQ : CmpInst::ICMP_NE;
  mask = ConstantInt::get(mask->getType(), ~(bound - 1));
  target = ConstantInt::get(mask->getType(), 0);
}

bool Matcher::solve() {
  while (rest != found) {
    auto *i = dyn_cast<Instruction>(rest);
    if (!i || !step(i))
      return fail(notOneComparison);
  }
  return true;
}

bool Matcher::step(Instruction *i) {
  if (auto *c = dyn_cast<CastInst>(i))
    return cast(c);
  if (auto *o = dyn_cast<BinaryOperator>(i))
    return binary(o);
  if (!isa<FreezeInst>(i))
    return false;
  rest = i->getOperand(0);
  return true;
}

bool Matcher::cast(CastInst *i) {
  Type *from = i->getSrcTy();
  if (from->isVectorTy() || i->getDestTy()->isVectorTy())
    return false;
  rest = i->getOperand(0);
  if (isa<PtrToIntInst>(i) || isa<IntToPtrInst>(i) || isa<BitCastInst>(i))
    return i->getModule()->getDataLayout().getTypeSizeInBits(from) == width(mask);
  if (CmpInst::isSigned(predicate))
    return false;
  if (isa<TruncInst>(i)) {
    mask = b.CreateZExt(mask, from);
    target = b.CreateZExt(target, from);
    return true;
  }
  if (!isa<ZExtInst>(i))
    return false;
  // The upper bits are 0 on the left: they must be on the right.
  auto *c = dyn_cast<ConstantInt>(target);
  if (!c || c->getValue().getActiveBits() > from->getIntegerBitWidth())
    return false;
  mask = b.CreateTrunc(mask, from);
  target = b.CreateTrunc(target, from);
  return true;
}

bool Matcher::binary(BinaryOperator *i) {
  Value *left = i->getOperand(0), *right = i->getOperand(1);
  bool leftMoves = !invariant(left);
  if (leftMoves == !invariant(right))
    return false;
  Value *inner = leftMoves ? left : right, *other = leftMoves ? right : left;
  switch (i->getOpcode()) {
  case Instruction::And:
    return bitAnd(inner, other);
  case Instruction::Xor:
    rest = inner;
    target = b.CreateXor(target, b.CreateAnd(other, mask));
    return isEquality() && inside;
  case Instruction::Add:
    return add(inner, b.CreateNeg(other));
  case Instruction::Sub:
    if (leftMoves)
      return add(inner, other);
    target = b.CreateNeg(target); // other - inner == target: inner - other == -target
    return add(inner, other);
  case Instruction::LShr:
    return leftMoves && shiftRight(inner, other);
  case Instruction::Shl:
    return leftMoves && shiftLeft(inner, other);
  default:
    return false;
  }
}

/// Modulo 2^width carries do not come from above, so a mask of low bits does no harm.
bool Matcher::add(Value *inner, Value *change) {
  if (!isEquality() || !inside || !isLowMask(mask))
    return false;
  rest = inner;
  target = b.CreateAnd(b.CreateAdd(target, change), mask);
  return true;
}

bool Matcher::bitAnd(Value *inner, Value *with) {
  if (CmpInst::isSigned(predicate))
    return false;
  rest = inner;
  mask = b.CreateAnd(mask, with);
  auto *m = dyn_cast<ConstantInt>(mask), *t = dyn_cast<ConstantInt>(target);
  inside = isZero(target) || (m && t && t->getValue().isSubsetOf(m->getValue()));
  return true;
}

bool Matcher::shiftRight(Value *inner, Value *by) {
  auto *amount = dyn_cast<ConstantInt>(by);
  if (!amount || CmpInst::isSigned(predicate) || amount->getValue().uge(width(mask)))
    return false;
  unsigned n = (unsigned)amount->getZExtValue();
  Value *unshifted;
  if (auto *c = dyn_cast<ConstantInt>(target)) {
    if (c->getValue().countl_zero() < n)
      return false;
    target = b.CreateShl(target, n);
  } else if (match(target, m_LShr(m_Value(unshifted), m_SpecificInt(n)))) {
    target = b.CreateAnd(unshifted, APInt::getHighBitsSet(width(mask), width(mask) - n));
  } else {
    return false;
  }
  rest = inner;
  mask = b.CreateShl(mask, n);
  return true;
}

bool Matcher::shiftLeft(Value *inner, Value *by) {
  auto *amount = dyn_cast<ConstantInt>(by), *c = dyn_cast<ConstantInt>(target);
  if (!amount || !c || !isEquality() || amount->getValue().uge(width(mask)))
    return false;
  unsigned n = (unsigned)amount->getZExtValue();
  if (c->getValue().countr_zero() < n)
    return false;
  rest = inner;
  mask = b.CreateLShr(mask, n);
  target = b.CreateLShr(target, n);
  return true;
}

bool Matcher::finish() {
  if (width(mask) != bits || isZero(mask))
    return fail(notOneComparison);
  static const CmpInst::Predicate relations[] = {
      CmpInst::ICMP_EQ,  CmpInst::ICMP_NE,  CmpInst::ICMP_ULT, CmpInst::ICMP_ULE,
      CmpInst::ICMP_UGT, CmpInst::ICMP_UGE, CmpInst::ICMP_SLT, CmpInst::ICMP_SLE,
      CmpInst::ICMP_SGT, CmpInst::ICMP_SGE};
  unsigned relation = (unsigned)(llvm::find(relations, predicate) - relations);
  result = {relation, mask, target};
  return true;
}

} // namespace rsan
