// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The values that atomic objects begin with. The runtime hears of each plain store to such an
// object, with its value: if it finds another value there later, code that is not instrumented has
// written it. A store is known to initialise an atomic object
//   in a constructor of std::atomic or of its relatives;
//   to a field that the module accesses atomically elsewhere;
//   to a local variable that is declared _Atomic, if there is debug information, or that its
//   function accesses atomically.
// Others are not told of; the runtime then takes what it finds for the initial value.

#include "Access.h"
#include "Pass.h"
#include "Port.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"

#include <set>

using namespace llvm;

namespace rsan {
namespace {

/// A field: its innermost structure, and the constant path in there.
using Field = std::pair<const Type *, std::vector<uint64_t>>;

/// The structure is null if the address is no field's.
Field fieldOf(const Value *pointer) {
  auto *gep = dyn_cast<GEPOperator>(pointer);
  if (!gep || !gep->getSourceElementType()->isStructTy() || gep->getNumIndices() < 2)
    return {};
  Field result{gep->getSourceElementType(), {}};
  for (auto index = gep->idx_begin() + 1; index != gep->idx_end(); ++index) {
    auto *constant = dyn_cast<ConstantInt>(*index);
    if (!constant)
      return {};
    result.second.push_back(constant->getZExtValue());
  }
  return result;
}

bool isDeclaredAtomic(const DIType *type) {
  while (auto *derived = dyn_cast_or_null<DIDerivedType>(type)) {
    unsigned tag = derived->getTag();
    if (tag == dwarf::DW_TAG_atomic_type)
      return true;
    if (tag != dwarf::DW_TAG_typedef && tag != dwarf::DW_TAG_const_type &&
        tag != dwarf::DW_TAG_volatile_type)
      return false;
    type = derived->getBaseType();
  }
  return false;
}

/// At some levels of optimisation assignments have taken the place of the declaration.
bool isDeclaredAtomic(AllocaInst *variable) {
  return anyNoteOf(
      variable, [](const auto *note) { return isDeclaredAtomic(note->getVariable()->getType()); });
}

/// What a module accesses atomically.
struct AtomicObjects {
  std::set<Field> fields;
  DenseSet<const Value *> locals;

  explicit AtomicObjects(const Module &m) {
    for (const Function &f : m)
      for (const Instruction &i : instructions(f))
        if (const Value *address = atomicAddress(i)) {
          if (isa<AllocaInst>(address))
            locals.insert(address);
          fields.insert(fieldOf(address));
        }
    fields.erase(Field());
  }

  bool has(Value *address) const {
    if (auto *variable = dyn_cast<AllocaInst>(address))
      return locals.contains(variable) || isDeclaredAtomic(variable);
    return fields.count(fieldOf(address));
  }
};

bool initialises(StoreInst &store, bool constructor, const AtomicObjects &atomics) {
  Value *address = store.getPointerOperand();
  Type *type = store.getValueOperand()->getType();
  if (store.isAtomic() || store.isVolatile() || store.getPointerAddressSpace() ||
      !(type->isIntegerTy() || type->isPointerTy()))
    return false;
  unsigned bits = accessBits(store.getDataLayout(), type);
  return bits && bits <= 64 && ((constructor && !isa<AllocaInst>(address)) || atomics.has(address));
}

void tell(StoreInst &store) {
  Module *m = store.getModule();
  LLVMContext &context = m->getContext();
  IRBuilder<> b(store.getNextNode());
  b.SetCurrentDebugLocation(store.getDebugLoc());
  unsigned bits = accessBits(store.getDataLayout(), store.getValueOperand()->getType());
  Value *value = b.CreateZExt(toBits(b, store.getValueOperand(), bits), b.getInt64Ty());
  FunctionCallee callee = m->getOrInsertFunction("__rsan_initialised", b.getVoidTy(), b.getPtrTy(),
                                                 b.getInt32Ty(), b.getInt64Ty());
  CallInst *call = b.CreateCall(callee, {store.getPointerOperand(), b.getInt32(bits / 8), value});
  call->setDoesNotThrow();
  call->setOnlyAccessesInaccessibleMemory();
  addNoCapture(*call, 0);
  call->addParamAttr(0, Attribute::ReadNone);
  call->addFnAttr(Attribute::get(context, Attribute::WillReturn));
}

} // namespace

bool tellInitialisers(Module &m) {
  AtomicObjects atomics(m);
  SmallVector<StoreInst *, 16> stores;
  for (Function &f : m) {
    if (!analysed(f))
      continue;
    bool constructor = isAtomicConstructor(f);
    for (Instruction &i : instructions(f))
      if (auto *store = dyn_cast<StoreInst>(&i); store && initialises(*store, constructor, atomics))
        stores.push_back(store);
  }
  for (StoreInst *store : stores)
    tell(*store);
  return !stores.empty();
}

} // namespace rsan
