// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// -fsanitize-robustness-volatile: code from before C11, and code of kernels, synchronises by
// volatile accesses. Aligned ones of 1, 2, 4 and 8 bytes become atomic accesses, and stay volatile:
// the processor does the same, and the analysis sees them. Without the option they are counted.

#include "Old.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Support/CommandLine.h"

using namespace llvm;

namespace {
enum class Meaning { Plain, Relaxed, AcqRel };
} // namespace

static cl::opt<Meaning>
    meaning("rsan-volatile", cl::init(Meaning::Plain),
            cl::desc("RSan: what volatile accesses of 1 to 8 bytes are"),
            cl::values(clEnumValN(Meaning::Plain, "none", "plain accesses"),
                       clEnumValN(Meaning::Relaxed, "relaxed", "relaxed atomic accesses"),
                       clEnumValN(Meaning::AcqRel, "acq_rel", "acquire loads, release stores")));

namespace rsan {

/// Does nothing but accesses come of the address? (LLVM's own question takes a volatile access for
/// one that gives it away.)
static bool isKept(const Value *address) {
  for (const User *user : address->users()) {
    auto *store = dyn_cast<StoreInst>(user);
    auto *call = dyn_cast<CallBase>(user);
    const bool derived = isa<GetElementPtrInst>(user) || isa<BitCastInst>(user);
    if (derived ? !isKept(user)
                : !isa<LoadInst>(user) && (!store || store->getValueOperand() == address) &&
                      (!call || !call->isLifetimeStartOrEnd()))
      return false;
  }
  return true;
}

/// Nobody else can know of the object.
static bool isPrivate(const Value *pointer) {
  auto *local = dyn_cast<AllocaInst>(getUnderlyingObject(pointer, 0));
  return local && isKept(local);
}

bool isPlainVolatile(const Instruction &i) {
  auto *load = dyn_cast<LoadInst>(&i);
  auto *store = dyn_cast<StoreInst>(&i);
  if ((!load || !load->isVolatile()) && (!store || !store->isVolatile()))
    return false;
  auto *access = const_cast<Instruction *>(&i);
  Type *type = getLoadStoreType(access);
  const DataLayout &layout = i.getFunction()->getDataLayout();
  if (i.isAtomic() || getLoadStoreAddressSpace(access) != 0 ||
      (!type->isIntegerTy() && !type->isPointerTy() && !type->isFloatingPointTy()))
    return false;
  uint64_t bits = layout.getTypeSizeInBits(type), bytes = bits / 8;
  return (bits == 8 || bits == 16 || bits == 32 || bits == 64) &&
         getLoadStoreAlignment(access).value() >= bytes &&
         !isPrivate(getLoadStorePointerOperand(&i));
}

bool makeVolatileAtomic(Function &f) {
  if (meaning == Meaning::Plain)
    return false;
  const bool relaxed = meaning == Meaning::Relaxed;
  bool changed = false;
  for (Instruction &i : instructions(f)) {
    if (!isPlainVolatile(i))
      continue;
    if (auto *load = dyn_cast<LoadInst>(&i))
      load->setAtomic(relaxed ? AtomicOrdering::Monotonic : AtomicOrdering::Acquire);
    else
      cast<StoreInst>(i).setAtomic(relaxed ? AtomicOrdering::Monotonic : AtomicOrdering::Release);
    changed = true;
  }
  return changed;
}

} // namespace rsan
