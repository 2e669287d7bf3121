// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Wrapper.h"

#include "Access.h"
#include "Harmless.h"
#include "Pass.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace rsan {
namespace {

/// A function with more of either is not looked at, and counts as none.
enum { MaxBlocks = 256, MaxAccesses = 64 };

bool isEntryPoint(const Function &callee) {
  return callee.isDeclaration() && callee.getName().starts_with("__rsan_atomic") &&
         callee.arg_size() > 0;
}

/// One member, whatever it is padded with.
bool hasOneMember(const StructType &type) {
  unsigned members = 0;
  for (Type *element : type.elements()) {
    auto *array = dyn_cast<ArrayType>(element);
    members += !(array && array->getElementType()->isIntegerTy(8));
  }
  return members <= 1;
}

bool picksMember(const GEPOperator &address) {
  for (auto at = gep_type_begin(address); at != gep_type_end(address); ++at)
    if (StructType *type = at.getStructTypeOrNull())
      if (!hasOneMember(*type))
        return true;
  return false;
}

/// A variable of the function's own.
const AllocaInst *localOf(const Value *address) {
  return dyn_cast<AllocaInst>(getUnderlyingObject(address, 0));
}

/// Everything that is stored to the variable. False: that is not known.
bool addStored(const Value *variable, SmallVectorImpl<const Value *> &values) {
  for (const User *user : variable->users()) {
    if (auto *store = dyn_cast<StoreInst>(user); store && store->getPointerOperand() == variable)
      values.push_back(store->getValueOperand());
    else if (isa<GetElementPtrInst>(user) && !addStored(user, values))
      return false;
    else if (isa<MemCpyInst>(user) && cast<MemCpyInst>(user)->getRawDest() == variable)
      return false;
  }
  return true;
}

/// At most one access on any way through the function.
bool isOneOnEachWay(ArrayRef<const Instruction *> accesses) {
  SmallPtrSet<const BasicBlock *, 8> blocks;
  for (const Instruction *access : accesses)
    if (!blocks.insert(access->getParent()).second)
      return false;
  for (const Instruction *access : accesses) {
    SmallPtrSet<const BasicBlock *, 16> seen;
    SmallVector<const BasicBlock *, 16> next(successors(access->getParent()));
    while (!next.empty()) {
      const BasicBlock *block = next.pop_back_val();
      if (blocks.contains(block))
        return false;
      if (seen.insert(block).second)
        next.append(succ_begin(block), succ_end(block));
    }
  }
  return true;
}

/// Calls that nobody notices, and those that end the program.
bool isPureCall(const CallBase &call, const Function &callee) {
  switch (callee.getIntrinsicID()) {
  case Intrinsic::returnaddress:
  case Intrinsic::frameaddress:
  case Intrinsic::addressofreturnaddress:
    return false;
  case Intrinsic::memcpy:
  case Intrinsic::memmove:
    return localOf(call.getArgOperand(0)) && localOf(call.getArgOperand(1));
  case Intrinsic::memset:
    return localOf(call.getArgOperand(0));
  case Intrinsic::not_intrinsic:
    return call.doesNotReturn() || callee.getName().starts_with("__ubsan_handle_") ||
           (call.doesNotAccessMemory() && call.willReturn() && call.doesNotThrow());
  default:
    return isHarmlessCall(call) || call.doesNotAccessMemory() || call.doesNotReturn();
  }
}

} // namespace

struct Wrappers::Reading {
  Summary summary;
  bool others = false;                 // accesses that are no compare-exchange
  SmallVector<const Value *, 2> plain; // what is accessed plainly and is not local
};

/// The caller says which object it is: adds the parameters that do.
bool Wrappers::isNamed(const Value *address, Summary &summary) {
  SmallPtrSet<const Value *, 16> seen;
  SmallVector<const Value *, 16> values{address};
  bool named = false;
  while (!values.empty()) {
    const Value *value = values.pop_back_val();
    if (!seen.insert(value).second || isa<ConstantInt>(value) || isa<UndefValue>(value))
      continue;
    if (auto *parameter = dyn_cast<Argument>(value)) {
      summary.objects.set(parameter->getArgNo());
      named = true;
    } else if (auto *gep = dyn_cast<GEPOperator>(value)) {
      if (picksMember(*gep))
        return false;
      values.push_back(gep->getPointerOperand());
    } else if (auto *load = dyn_cast<LoadInst>(value)) {
      const AllocaInst *variable = localOf(load->getPointerOperand());
      if (!variable || !addStored(variable, values))
        return false;
    } else if (isa<CastInst>(value) || isa<PHINode>(value) || isa<FreezeInst>(value) ||
               isa<BinaryOperator>(value) || isa<ExtractValueInst>(value)) {
      append_range(values, cast<Instruction>(value)->operand_values());
    } else if (auto *select = dyn_cast<SelectInst>(value)) {
      values.append({select->getTrueValue(), select->getFalseValue()});
    } else if (auto *call = dyn_cast<CallBase>(value);
               call && call->getCalledFunction() && of(*call->getCalledFunction()).kind == Pure) {
      append_range(values, call->args());
    } else {
      return false;
    }
  }
  return named;
}

bool Wrappers::takeCall(const CallBase &call, Reading &reading) {
  if (auto *assembly = dyn_cast<InlineAsm>(call.getCalledOperand()))
    return isIdle(*assembly);
  const Function *callee = call.getCalledFunction();
  if (!callee)
    return false;
  if (isEntryPoint(*callee)) {
    reading.others = true;
    reading.summary.accesses.push_back(&call);
    return isNamed(call.getArgOperand(0), reading.summary);
  }
  if (callee->isDeclaration() || callee->isInterposable() || !analysed(*callee))
    return isPureCall(call, *callee);
  const Summary &summary = of(*callee);
  if (summary.kind != Wrapper)
    return summary.kind == Pure;
  reading.others = true;
  reading.summary.accesses.push_back(&call);
  for (unsigned i : summary.objects.set_bits())
    if (i >= call.arg_size() || !isNamed(call.getArgOperand(i), reading.summary))
      return false;
  return true;
}

bool Wrappers::take(const Instruction &i, Reading &reading) {
  if (i.isAtomic()) {
    reading.others |= !isa<AtomicCmpXchgInst>(i);
    reading.summary.accesses.push_back(&i);
    return isa<FenceInst>(i) || isNamed(atomicAddress(i), reading.summary);
  }
  if (isa<DbgInfoIntrinsic>(i) || isa<PseudoProbeInst>(i))
    return true;
  if (auto *call = dyn_cast<CallBase>(&i))
    return takeCall(*call, reading);
  if (isa<LoadInst>(i) || isa<StoreInst>(i)) {
    const Value *address = getLoadStorePointerOperand(&i);
    if (!localOf(address))
      reading.plain.push_back(address);
    return true;
  }
  return !i.mayReadOrWriteMemory();
}

Wrappers::Summary Wrappers::read(const Function &f) {
  Reading reading;
  Summary &summary = reading.summary;
  summary.objects.resize(f.arg_size());
  if (f.size() > MaxBlocks || f.isVarArg() || f.isPresplitCoroutine())
    return {};
  for (const Instruction &i : instructions(f))
    if (!take(i, reading) || summary.accesses.size() > MaxAccesses)
      return {};
  // What a compare-exchange expects is the caller's variable.
  Summary names;
  names.objects.resize(f.arg_size());
  for (const Value *address : reading.plain)
    if (reading.others || summary.accesses.empty() || isa<GEPOperator>(address) ||
        !isNamed(address, names))
      return {};
  if (!isOneOnEachWay(summary.accesses))
    return {};
  summary.kind = summary.accesses.empty() ? Pure : Wrapper;
  // A function whose address is taken may be a thread's, which has no caller that could be named.
  if (summary.kind == Wrapper && f.hasAddressTaken(nullptr, true, true, true))
    return {};
  return summary;
}

const Wrappers::Summary &Wrappers::of(const Function &f) {
  if (auto found = summaries.find(&f); found != summaries.end())
    return *found->second;
  // This stands while the function is read: one that calls itself is no wrapper.
  summaries[&f] = std::make_unique<Summary>();
  if (analysed(f)) {
    auto summary = std::make_unique<Summary>(read(f));
    summaries[&f] = std::move(summary);
  }
  return *summaries[&f];
}

} // namespace rsan
