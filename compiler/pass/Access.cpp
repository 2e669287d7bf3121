// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Access.h"

#include "llvm/IR/Module.h"

using namespace llvm;

namespace rsan {

unsigned accessBits(const DataLayout &layout, Type *type) {
  if (!type->isSized() || isa<ScalableVectorType>(type))
    return 0;
  uint64_t bits = layout.getTypeSizeInBits(type);
  bool known = bits == 8 || bits == 16 || bits == 32 || bits == 64 || bits == 128;
  return known ? (unsigned)bits : 0;
}

Value *atomicAddress(const Instruction &i) {
  if (!i.isAtomic())
    return nullptr;
  const Value *address = getLoadStorePointerOperand(&i);
  if (auto *rmw = dyn_cast<AtomicRMWInst>(&i))
    address = rmw->getPointerOperand();
  else if (auto *cas = dyn_cast<AtomicCmpXchgInst>(&i))
    address = cas->getPointerOperand();
  return const_cast<Value *>(address);
}

Value *toBits(IRBuilderBase &b, Value *v, unsigned bits) {
  return b.CreateBitOrPointerCast(v, b.getIntNTy(bits));
}

Value *fromBits(IRBuilderBase &b, Value *v, Type *type) {
  return b.CreateBitOrPointerCast(v, type);
}

Value *orderArgument(IRBuilderBase &b, AtomicOrdering order) {
  if (order == AtomicOrdering::NotAtomic || order == AtomicOrdering::Unordered)
    order = AtomicOrdering::Monotonic;
  return b.getInt32((unsigned)toCABI(order));
}

CallInst *callAtomic(IRBuilderBase &b, unsigned bits, StringRef what, ArrayRef<Value *> arguments) {
  Module *m = b.GetInsertBlock()->getModule();
  LLVMContext &context = m->getContext();
  // The runtime is C++: its unsigned char and unsigned short come and go extended.
  AttributeList attributes;
  attributes = attributes.addFnAttribute(context, Attribute::NoUnwind);
  // The first attempt of a wait is not copied out of its loop: reports of it are one.
  if (what.starts_with("wait_"))
    attributes = attributes.addFnAttribute(context, Attribute::Convergent);
  SmallVector<Type *, 6> types;
  for (Value *argument : arguments) {
    if (argument->getType()->isIntegerTy() && argument->getType()->getIntegerBitWidth() < 32)
      attributes = attributes.addParamAttribute(context, types.size(), Attribute::ZExt);
    types.push_back(argument->getType());
  }
  Type *result = b.getIntNTy(bits);
  if (bits < 32)
    attributes = attributes.addRetAttribute(context, Attribute::ZExt);
  std::string name = ("__rsan_atomic" + Twine(bits) + "_" + what).str();
  FunctionCallee callee =
      m->getOrInsertFunction(name, FunctionType::get(result, types, false), attributes);
  CallInst *call = b.CreateCall(callee, arguments);
  call->setAttributes(attributes);
  return call;
}

void replaceAccess(IRBuilderBase &b, Instruction *access, Value *found, Value *failed) {
  Value *result;
  if (auto *cas = dyn_cast<AtomicCmpXchgInst>(access)) {
    // Bits decide, as in the hardware.
    Value *expected = toBits(b, cas->getCompareOperand(), found->getType()->getIntegerBitWidth());
    Value *success = b.CreateICmpEQ(found, expected);
    if (failed)
      success = b.CreateAnd(success, b.CreateNot(failed));
    Value *old = fromBits(b, found, cas->getCompareOperand()->getType());
    result = b.CreateInsertValue(PoisonValue::get(cas->getType()), old, 0);
    result = b.CreateInsertValue(result, success, 1);
  } else {
    result = fromBits(b, found, access->getType());
  }
  access->replaceAllUsesWith(result);
  if (isa<Instruction>(result))
    result->takeName(access);
  access->eraseFromParent();
}

} // namespace rsan
