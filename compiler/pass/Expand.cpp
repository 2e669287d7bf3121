// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What ThreadSanitizer's pass would lose: it has one entry point for weak and strong
// compare-exchange, and none for min, max, floating-point and wrapping read-modify-writes; and what
// it would do twice.

#include "Access.h"
#include "Pass.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/LowerAtomic.h"

using namespace llvm;

namespace rsan {
namespace {

bool knownToThreadSanitizer(AtomicRMWInst::BinOp operation) {
  switch (operation) {
  case AtomicRMWInst::Xchg:
  case AtomicRMWInst::Add:
  case AtomicRMWInst::Sub:
  case AtomicRMWInst::And:
  case AtomicRMWInst::Nand:
  case AtomicRMWInst::Or:
  case AtomicRMWInst::Xor:
    return true;
  default:
    return false;
  }
}

/// Has the weak compare-exchange that was made just now failed although it found what it expects?
/// (Where all schedules are explored; else the variable is never written.)
Value *hasFailed(IRBuilder<> &b) {
  Module *m = b.GetInsertBlock()->getModule();
  LoadInst *failed =
      b.CreateLoad(b.getInt8Ty(), m->getOrInsertGlobal("__rsan_failed", b.getInt8Ty()));
  failed->setMetadata(LLVMContext::MD_nosanitize, MDNode::get(m->getContext(), {}));
  return b.CreateIsNotNull(failed);
}

void rewriteWeak(AtomicCmpXchgInst *cas, unsigned bits) {
  IRBuilder<> b(cas);
  Value *found = callAtomic(b, bits, "compare_exchange_weak_val",
                            {cas->getPointerOperand(), toBits(b, cas->getCompareOperand(), bits),
                             toBits(b, cas->getNewValOperand(), bits),
                             orderArgument(b, cas->getSuccessOrdering()),
                             orderArgument(b, cas->getFailureOrdering())});
  replaceAccess(b, cas, found, hasFailed(b));
}

/// A loop around an entry point that counts as one read-modify-write when it succeeds and as
/// nothing when it fails: what is checked is the operation of the source, not the loop.
void expand(AtomicRMWInst *rmw, unsigned bits) {
  BasicBlock *head = rmw->getParent();
  BasicBlock *done = head->splitBasicBlock(rmw, "rsan.rmw.done");
  BasicBlock *loop = BasicBlock::Create(rmw->getContext(), "rsan.rmw", head->getParent(), done);
  Value *address = rmw->getPointerOperand();
  head->getTerminator()->eraseFromParent();

  IRBuilder<> b(head);
  b.SetCurrentDebugLocation(rmw->getDebugLoc());
  b.setIsFPConstrained(head->getParent()->hasFnAttribute(Attribute::StrictFP));
  Value *first = callAtomic(b, bits, "peek", {address});
  b.CreateBr(loop);

  b.SetInsertPoint(loop);
  PHINode *expected = b.CreatePHI(b.getIntNTy(bits), 2);
  Value *desired = buildAtomicRMWValue(rmw->getOperation(), b,
                                       fromBits(b, expected, rmw->getType()), rmw->getValOperand());
  Value *found = callAtomic(
      b, bits, "fetch_op_val",
      {address, expected, toBits(b, desired, bits), orderArgument(b, rmw->getOrdering())});
  expected->addIncoming(first, head);
  expected->addIncoming(found, loop);
  b.CreateCondBr(b.CreateICmpEQ(found, expected), done, loop);

  b.SetInsertPoint(rmw);
  replaceAccess(b, rmw, found);
}

/// ThreadSanitizer's pass leaves an atomic load beside the call that it puts in its place. For a
/// volatile load this would be a second access, which the program does not make.
void callOnce(LoadInst *load, unsigned bits) {
  IRBuilder<> b(load);
  Module *m = load->getModule();
  FunctionCallee callee = m->getOrInsertFunction(("__tsan_atomic" + Twine(bits) + "_load").str(),
                                                 b.getIntNTy(bits), b.getPtrTy(), b.getInt32Ty());
  Value *found =
      b.CreateCall(callee, {load->getPointerOperand(), orderArgument(b, load->getOrdering())});
  replaceAccess(b, load, found);
}

} // namespace

bool expandAtomics(Function &f) {
  const DataLayout &layout = f.getDataLayout();
  SmallVector<AtomicCmpXchgInst *, 8> weak;
  SmallVector<AtomicRMWInst *, 8> others;
  SmallVector<LoadInst *, 8> volatiles;
  for (Instruction &i : instructions(f)) {
    if (auto *cas = dyn_cast<AtomicCmpXchgInst>(&i)) {
      if (cas->isWeak() && accessBits(layout, cas->getCompareOperand()->getType()))
        weak.push_back(cas);
    } else if (auto *rmw = dyn_cast<AtomicRMWInst>(&i)) {
      if (!knownToThreadSanitizer(rmw->getOperation()) && accessBits(layout, rmw->getType()))
        others.push_back(rmw);
    } else if (auto *load = dyn_cast<LoadInst>(&i)) {
      if (load->isVolatile() && load->isAtomic() && accessBits(layout, load->getType()) &&
          load->getSyncScopeID() == SyncScope::System && !load->getPointerAddressSpace())
        volatiles.push_back(load);
    }
  }
  for (LoadInst *load : volatiles)
    callOnce(load, accessBits(layout, load->getType()));
  for (AtomicCmpXchgInst *cas : weak)
    rewriteWeak(cas, accessBits(layout, cas->getCompareOperand()->getType()));
  for (AtomicRMWInst *rmw : others)
    expand(rmw, accessBits(layout, rmw->getType()));
  return !weak.empty() || !others.empty() || !volatiles.empty();
}

} // namespace rsan
