// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which values end a wait: a branch's condition as a comparison of the value found.

#ifndef RSAN_PASS_MATCH_H
#define RSAN_PASS_MATCH_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

namespace rsan {

/// The wait ends when (found & mask) `relation` value, all of them integers of the access's size.
struct Condition {
  unsigned relation; // the runtime's numbers: == != <u <=u >u >=u <s <=s >s >=s
  llvm::Value *mask, *value;
  bool alone = false; // the value found is used for nothing else
};

/// Is this expression the same in each iteration?
using Invariant = llvm::function_ref<bool(llvm::Value *)>;

/// Turns a comparison around, step by step, until the value found stands alone on one side. New
/// values, of which nothing remains in the program, are built in front of an instruction of the
/// loop's copy.
class Matcher {
public:
  /// `bits`: N of the access; `before`: where to build; `invariant` must live as long.
  Matcher(llvm::Value *found, unsigned bits, llvm::Instruction *before, Invariant invariant)
      : found(found), bits(bits), b(before), invariant(invariant) {}

  /// The wait ends where `condition` is `when`. On failure `reason` is set.
  bool branch(llvm::Value *condition, bool when);
  /// The wait ends where `selector` is (or, with `equal` false, is not) `value`, some bits apart.
  bool select(llvm::Value *selector, const llvm::APInt &value, const llvm::APInt &ignored,
              bool equal);

  Condition result;
  const char *reason = nullptr;

private:
  bool fail(const char *why);
  bool compare(llvm::CmpInst::Predicate p, llvm::Value *left, llvm::Value *right);
  void roundCompare();
  bool solve();
  bool step(llvm::Instruction *i);
  bool cast(llvm::CastInst *i);
  bool binary(llvm::BinaryOperator *i);
  bool add(llvm::Value *inner, llvm::Value *change);
  bool bitAnd(llvm::Value *inner, llvm::Value *with);
  bool shiftRight(llvm::Value *inner, llvm::Value *by);
  bool shiftLeft(llvm::Value *inner, llvm::Value *by);
  bool finish();
  bool isEquality() const { return llvm::ICmpInst::isEquality(predicate); }

  llvm::Value *found;
  unsigned bits;
  llvm::IRBuilder<> b;
  Invariant invariant;
  // What remains to be turned around: (rest & mask) predicate target. `inside`: the target is known
  // to have no bit outside the mask.
  llvm::Value *rest = nullptr, *mask = nullptr, *target = nullptr;
  llvm::CmpInst::Predicate predicate = llvm::CmpInst::ICMP_EQ;
  bool inside = true;
};

} // namespace rsan

#endif
