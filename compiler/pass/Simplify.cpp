// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Port.h"
#include "Spin.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/JumpThreading.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

using namespace llvm;

namespace rsan {
namespace {

const char numberName[] = "rsan.number", snapshotName[] = "rsan.snapshot",
           unsetName[] = "rsan.unset";
const unsigned maxVariables = 256; // of one snapshot; more only cost time

/// These keep their value whatever the simplification does with their operands; a comparison, say,
/// may be turned into its opposite in place.
bool keepsMeaning(const Instruction &i) {
  return (i.mayReadOrWriteMemory() || isa<CallInst>(i)) && !isa<IntrinsicInst>(i) &&
         !isa<FenceInst>(i);
}

bool isSimpleVariable(const AllocaInst &a) {
  Type *type = a.getAllocatedType();
  return (type->isIntegerTy() || type->isPointerTy()) && !a.isArrayAllocation() &&
         isAllocaPromotable(&a);
}

/// Can the variable hold what a wait of this innermost loop waits for? Showing others would only
/// make the copy less simple.
bool mayHoldTarget(const AllocaInst &variable, const Loop *loop) {
  if (!loop || !loop->isInnermost())
    return true;
  return none_of(variable.users(), [&](const User *user) {
    return isa<StoreInst>(user) && loop->contains(cast<Instruction>(user));
  });
}

unsigned number(const Instruction &i) {
  auto *node = i.getMetadata(numberName);
  return node ? (unsigned)mdconst::extract<ConstantInt>(node->getOperand(0))->getZExtValue() : ~0u;
}

} // namespace

void simplify(Function &f, FunctionAnalysisManager &fam) {
  FunctionPassManager fpm;
  for (int round = 0; round < 2; round++) {
    fpm.addPass(SROAPass(SROAOptions::ModifyCFG));
    fpm.addPass(EarlyCSEPass());
    fpm.addPass(InstCombinePass());
    fpm.addPass(SimplifyCFGPass());
    fpm.addPass(JumpThreadingPass()); // 'break' with objects to destroy goes by a number
  }
  fpm.run(f, fam);
}

bool isAttempt(const Instruction &i) {
  if (getAtomicSyncScopeID(&i) != SyncScope::System)
    return false;
  if (auto *rmw = dyn_cast<AtomicRMWInst>(&i))
    return rmw->getOperation() == AtomicRMWInst::Xchg || rmw->getOperation() == AtomicRMWInst::Or ||
           rmw->getOperation() == AtomicRMWInst::And;
  return isa<LoadInst>(i) || isa<AtomicCmpXchgInst>(i);
}

bool mayBeAttempt(const Instruction &i) {
  return isAttempt(i) || (isa<AtomicRMWInst>(i) && getAtomicSyncScopeID(&i) == SyncScope::System);
}

bool Copy::isSnapshot(const CallInst &call) {
  return call.getCalledFunction() && call.getCalledFunction()->getName() == snapshotName;
}

Copy::Copy(Function &original, FunctionAnalysisManager &fam) : from(original), fam(fam) {
  ValueToValueMapTy map;
  function = CloneFunction(&original, map);
  function->setName("rsan.copy");
  function->setLinkage(GlobalValue::InternalLinkage);
  function->setComdat(nullptr);
  function->removeFnAttr(Attribute::OptimizeNone);
  function->removeFnAttr(Attribute::NoInline);
  stripDebugInfo(*function);
  endLives();
  note(map);
  simplify(*function, fam);
  if (getenv("RSAN_DUMP"))
    function->print(errs());
  index();
}

Copy::~Copy() {
  fam.clear(*function, function->getName());
  Module *m = function->getParent();
  function->eraseFromParent();
  for (const char *name : {snapshotName, unsetName}) {
    Function *note = m->getFunction(name);
    if (note && note->use_empty())
      note->eraseFromParent();
  }
}

/// A variable of an inlined function has no value between two calls. Without this, snapshots would
/// carry its last one from one round of a loop to the next. It gets an unknown value instead, the
/// same one everywhere; an undefined one could become whatever suits the simplification.
void Copy::endLives() {
  SmallVector<IntrinsicInst *, 16> ends;
  for (Instruction &i : instructions(*function))
    if (auto *note = dyn_cast<IntrinsicInst>(&i))
      if (note->isLifetimeStartOrEnd())
        ends.push_back(note);
  if (ends.empty())
    return;
  IRBuilder<> b(&*function->getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  FunctionCallee unset = function->getParent()->getOrInsertFunction(
      unsetName, FunctionType::get(b.getInt64Ty(), false));
  auto *callee = cast<Function>(unset.getCallee());
  callee->setDoesNotAccessMemory();
  callee->setDoesNotThrow();
  callee->setWillReturn();
  Value *nothing = b.CreateCall(unset);
  DenseMap<AllocaInst *, Value *> unsetValues;
  for (IntrinsicInst *end : ends) {
    auto *variable = dyn_cast<AllocaInst>(variableOf(*end));
    if (!variable || !isSimpleVariable(*variable))
      continue;
    Type *type = variable->getAllocatedType();
    Value *&value = unsetValues[variable];
    if (!value) {
      value = type->isPointerTy() ? b.CreateIntToPtr(nothing, type)
                                  : b.CreateZExtOrTrunc(nothing, type);
      b.CreateStore(value, variable);
    }
    bool starts = end->getIntrinsicID() == Intrinsic::lifetime_start;
    IRBuilder<> at(starts ? end->getNextNode() : end);
    at.CreateStore(value, variable);
  }
}

/// Numbers what can be found again, and has each attempt show the variables' values.
void Copy::note(ValueToValueMapTy &map) {
  LLVMContext &context = from.getContext();
  DominatorTree dominators(from);
  LoopInfo loops(dominators);
  for (Instruction &i : from.getEntryBlock())
    if (auto *a = dyn_cast<AllocaInst>(&i))
      if (variables.size() < maxVariables && isSimpleVariable(*a))
        variables.push_back(a);
  FunctionCallee show = function->getParent()->getOrInsertFunction(
      snapshotName, FunctionType::get(Type::getVoidTy(context), {Type::getInt32Ty(context)}, true));
  auto *callee = cast<Function>(show.getCallee());
  callee->setOnlyAccessesInaccessibleMemory();
  callee->setDoesNotThrow();
  callee->setWillReturn();
  for (Instruction &i : instructions(from)) {
    if (!keepsMeaning(i))
      continue;
    auto *twin = cast<Instruction>(map[&i]);
    Constant *id = ConstantInt::get(Type::getInt32Ty(context), originals.size());
    twin->setMetadata(numberName, MDNode::get(context, ConstantAsMetadata::get(id)));
    originals.push_back(&i);
    if (!mayBeAttempt(i))
      continue;
    IRBuilder<> b(twin);
    SmallVector<Value *, 32> values = {id};
    const Loop *loop = loops.getLoopFor(i.getParent());
    for (unsigned n = 0; n < variables.size(); n++) {
      AllocaInst *variable = variables[n];
      if (!mayHoldTarget(*variable, loop))
        continue;
      values.push_back(b.getInt32(n));
      values.push_back(b.CreateLoad(variable->getAllocatedType(), map[variable]));
    }
    b.CreateCall(show, values);
  }
}

void Copy::index() {
  for (Instruction &i : instructions(*function)) {
    if (number(i) != ~0u)
      occurrences[number(i)]++;
    auto *call = dyn_cast<CallInst>(&i);
    if (!call || !isSnapshot(*call))
      continue;
    unsigned attempt = (unsigned)cast<ConstantInt>(call->getArgOperand(0))->getZExtValue();
    if (!snapshots.try_emplace(attempt, call).second)
      snapshots[attempt] = nullptr;
  }
}

Instruction *Copy::original(const Value *v) const {
  auto *i = dyn_cast<Instruction>(v);
  unsigned n = i ? number(*i) : ~0u;
  return n < originals.size() && occurrences.lookup(n) == 1 ? originals[n] : nullptr;
}

AllocaInst *Copy::holder(const Instruction *attempt, const Value *v) const {
  CallInst *snapshot = original(attempt) ? snapshots.lookup(number(*attempt)) : nullptr;
  if (!snapshot)
    return nullptr;
  for (unsigned n = 1; n < snapshot->arg_size(); n += 2)
    if (snapshot->getArgOperand(n + 1) == v)
      return variables[cast<ConstantInt>(snapshot->getArgOperand(n))->getZExtValue()];
  return nullptr;
}

} // namespace rsan
