// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of functions that are not instrumented. Such a function may hold a lock, or pass something
// on, in ways that nobody sees; the runtime is told when it is called and when it has returned, and
// takes that for synchronisation with everything that was done so far.
//
// Each function of an instrumented module has a mark in front of its entry (rsan_mark.h), also if
// the user has taken it out of the instrumentation. Whether another function has one is asked once
// for each callee of a module, when it is called for the first time: the answer stays in a byte of
// the module's. The mark behind a function pointer is read at each call.
//
// The runtime is also told which pointers are passed to such a function, and the sizes of the
// objects that they point to as far as the compiler knows them: the function may change atomic
// objects there (compiler-rt-patch/src/locations/rsan_lent.h).
//
// Assembly with atomic instructions or a full fence is such a function.
//
// Not asked: functions that this module defines and that no other definition can replace; those
// that only read, or that cannot synchronise by their attributes; the C library's that LLVM knows;
// and the runtime's own. Not watched: calls that must be tail calls, and exceptions that leave a
// function which was called through a pointer.

#include "Harmless.h"
#include "Old.h"
#include "Pass.h"
#include "compiler-rt-patch/src/common/rsan_mark.h"

#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace rsan {
namespace {

void mark(Function &f) {
  LLVMContext &context = f.getContext();
  uint64_t size =
      std::max<uint64_t>(16, f.getAlign().valueOrOne().value()); // the entry stays aligned
  SmallVector<uint32_t, 16> words(size / 4, 0);
  words.back() = RSAN_MARK;
  if (!f.hasPrefixData())
    f.setPrefixData(ConstantDataArray::get(context, words));
}

/// Functions of the runtimes; those of the C++ ABI, which may be linked statically; and those of
/// the crate __rustc, through which Rust's allocator is called (rustc does not instrument them).
bool isRuntimes(StringRef name) {
  return (name.starts_with("_R") && name.contains("_7___rustc")) || name.starts_with("__tsan_") ||
         name.starts_with("__rsan_") || name.starts_with("rsan_") ||
         name.starts_with("__sanitizer_") || name.starts_with("__ubsan_") ||
         name.starts_with("__cxa_");
}

class Watcher {
public:
  explicit Watcher(Module &module)
      : m(module), known(Triple(module.getTargetTriple())), library(known), b(module.getContext()) {
  }

  bool watch(Function &f) {
    SmallVector<CallBase *, 16> calls;
    for (Instruction &i : instructions(f))
      if (auto *call = dyn_cast<CallBase>(&i); call && mayBeUnseen(*call))
        calls.push_back(call);
    for (CallBase *call : calls)
      watch(*call);
    return !calls.empty();
  }

private:
  Module &m;
  TargetLibraryInfoImpl known;
  TargetLibraryInfo library;
  IRBuilder<> b;
  DenseMap<const Value *, GlobalVariable *> answers;
  DenseSet<std::pair<const Value *, const Value *>> pads; // and callees

  static Value *calleeOf(const CallBase &call) {
    return call.getCalledOperand()->stripPointerCastsAndAliases();
  }

  bool mayBeUnseen(const CallBase &call) {
    if (auto *assembly = dyn_cast<InlineAsm>(call.getCalledOperand()))
      return maySynchronise(*assembly) && !isUnderstood(call);
    if (isUnseenAtomic(call))
      return true;
    if (call.isMustTailCall() || call.doesNotReturn() || call.onlyReadsMemory() ||
        call.hasFnAttr(Attribute::NoSync))
      return false;
    auto *callee = dyn_cast<Function>(calleeOf(call));
    if (!callee)
      return true;
    LibFunc function;
    return !callee->isIntrinsic() && !isRuntimes(callee->getName()) &&
           !library.getLibFunc(*callee, function) && !callee->isStrongDefinitionForLinker();
  }

  /// What is known of a callee: a byte, RSAN_CALLEE_UNKNOWN at first.
  GlobalVariable *answerFor(const Value *callee) {
    GlobalVariable *&answer = answers[callee];
    if (!answer)
      answer = new GlobalVariable(m, b.getInt8Ty(), false, GlobalValue::InternalLinkage,
                                  b.getInt8(RSAN_CALLEE_UNKNOWN), "rsan.callee");
    return answer;
  }

  Value *loadUnseen(Type *type, Value *address) {
    LoadInst *load = b.CreateAlignedLoad(type, address, Align(1));
    load->setNoSanitizeMetadata();
    return load;
  }

  /// Has the function pointer no mark? One at the begin of a page may have nothing in front of it.
  Value *hasNoMark(Value *function) {
    Type *word = b.getInt64Ty();
    Value *offset = b.CreateAnd(b.CreatePtrToInt(function, word), b.getInt64(4095));
    Value *before = b.CreateGEP(b.getInt8Ty(), function, b.getInt64(-4));
    GlobalVariable *none =
        cast<GlobalVariable>(m.getOrInsertGlobal("rsan.unmarked", b.getInt32Ty(), [&] {
          return new GlobalVariable(m, b.getInt32Ty(), true, GlobalValue::PrivateLinkage,
                                    b.getInt32(0), "rsan.unmarked");
        }));
    Value *at = b.CreateSelect(b.CreateICmpULT(offset, b.getInt64(4)), none, before);
    return b.CreateICmpNE(loadUnseen(b.getInt32Ty(), at), b.getInt32(RSAN_MARK));
  }

  /// What an argument points to, for __rsan_passing: where it begins and how many bytes it has, 0
  /// if that is not known.
  struct Pointee {
    Value *begin;
    uint64_t size;
  };

  /// Null: nothing that the callee may write to.
  Pointee pointeeOf(const CallBase &call, unsigned argument) const {
    Value *pointer = call.getArgOperand(argument);
    const DataLayout &layout = m.getDataLayout();
    if (!pointer->getType()->isPointerTy() || pointer->getType()->getPointerAddressSpace() ||
        isa<ConstantData>(pointer) || call.onlyReadsMemory(argument) ||
        call.isByValArgument(argument))
      return {nullptr, 0};
    Value *object = getUnderlyingObject(pointer);
    if (isa<Function>(object))
      return {nullptr, 0};
    if (auto *global = dyn_cast<GlobalVariable>(object)) {
      if (global->isConstant() || global->isThreadLocal() || !global->getValueType()->isSized())
        return {global->isConstant() ? nullptr : pointer, 0};
      return {global, layout.getTypeAllocSize(global->getValueType())};
    }
    if (auto *variable = dyn_cast<AllocaInst>(object))
      if (std::optional<TypeSize> size = variable->getAllocationSize(layout);
          size && !size->isScalable())
        return {variable, size->getFixedValue()};
    APInt offset(layout.getIndexTypeSizeInBits(pointer->getType()), 0);
    Value *begin = pointer->stripAndAccumulateInBoundsConstantOffsets(layout, offset);
    bool canBeNull, canBeFreed;
    uint64_t size = begin->getPointerDereferenceableBytes(layout, canBeNull, canBeFreed);
    if (offset.isNegative() || offset.getActiveBits() > 32)
      return {pointer, 0};
    if (begin != pointer)
      size = std::max(size, offset.getZExtValue() + 8);
    return {begin, size};
  }

  /// Behind the call of __rsan_calling, in its block.
  void tellPointers(const CallBase &call, Value *answer, Value *callee) {
    SmallVector<Value *, 8> arguments = {answer, callee, nullptr};
    for (unsigned n = 0; n < call.arg_size(); n++)
      if (Pointee to = pointeeOf(call, n); to.begin)
        arguments.append({to.begin, b.getInt64(to.size)});
    if (arguments.size() == 3)
      return;
    arguments[2] = b.getInt32((unsigned)(arguments.size() - 3) / 2);
    auto *type =
        FunctionType::get(b.getVoidTy(), {b.getPtrTy(), b.getPtrTy(), b.getInt32Ty()}, true);
    b.CreateCall(m.getOrInsertFunction("__rsan_passing", type), arguments)->setDoesNotThrow();
  }

  /// Calls the runtime in front of `where`, if `condition` holds. More can be inserted behind that.
  void tell(Value *condition, Instruction *where, StringRef name, ArrayRef<Value *> arguments) {
    MDNode *rarely = MDBuilder(m.getContext()).createUnlikelyBranchWeights();
    b.SetInsertPoint(SplitBlockAndInsertIfThen(condition, where, false, rarely));
    b.SetCurrentDebugLocation(where->getDebugLoc());
    SmallVector<Type *, 2> types;
    for (Value *argument : arguments)
      types.push_back(argument->getType());
    FunctionCallee callee =
        m.getOrInsertFunction(name, FunctionType::get(b.getVoidTy(), types, false));
    b.CreateCall(callee, arguments)->setDoesNotThrow();
  }

  void tellOf(Value *callee, Instruction *where, StringRef name, const DebugLoc &location) {
    GlobalVariable *answer = answerFor(callee);
    b.SetInsertPoint(where);
    b.SetCurrentDebugLocation(location);
    Value *may = b.CreateICmpNE(loadUnseen(b.getInt8Ty(), answer), b.getInt8(RSAN_CALLEE_SEEN));
    tell(may, where, name, {answer, callee});
  }

  /// Where a call has returned.
  static Instruction *afterReturn(CallBase &call) {
    auto *invoke = dyn_cast<InvokeInst>(&call);
    if (!invoke)
      return call.getNextNode();
    BasicBlock *to = invoke->getNormalDest();
    if (!to->getSinglePredecessor())
      to = SplitEdge(invoke->getParent(), to);
    return &*to->getFirstInsertionPt();
  }

  void watch(CallBase &call) {
    if (isa<CallBrInst>(call))
      return;
    if (call.isInlineAsm() || isUnseenAtomic(call)) {
      b.SetInsertPoint(afterReturn(call));
      b.SetCurrentDebugLocation(call.getDebugLoc());
      b.CreateCall(m.getOrInsertFunction("__rsan_passed_assembly", b.getVoidTy()))
          ->setDoesNotThrow();
      return;
    }
    Value *callee = calleeOf(call);
    DebugLoc location = call.getDebugLoc();
    if (isa<Function>(callee)) {
      if (auto *invoke = dyn_cast<InvokeInst>(&call))
        watchPad(*invoke, callee, location);
      tellOf(callee, afterReturn(call), "__rsan_called", location);
      tellOf(callee, &call, "__rsan_calling", location);
      tellPointers(call, answerFor(callee), callee);
      return;
    }
    b.SetInsertPoint(&call);
    b.SetCurrentDebugLocation(location);
    Value *unseen = hasNoMark(callee);
    tell(unseen, afterReturn(call), "__rsan_called_pointer", {callee});
    tell(unseen, &call, "__rsan_calling_pointer", {callee});
    tellPointers(call, ConstantPointerNull::get(b.getPtrTy()), callee);
  }

  /// Tells the runtime at a landing pad of each callee whose exception may arrive there, as the pad
  /// does not know which of the calls threw.
  void watchPad(InvokeInst &invoke, Value *callee, const DebugLoc &location) {
    BasicBlock *pad = invoke.getUnwindDest();
    if (pads.insert({pad, callee}).second)
      tellOf(callee, &*pad->getFirstInsertionPt(), "__rsan_called", location);
  }
};

} // namespace

bool watchCalls(Module &m) {
  Watcher watcher(m);
  bool changed = false;
  SmallVector<Function *, 64> functions;
  for (Function &f : m)
    if (!f.isDeclaration())
      functions.push_back(&f);
  for (Function *f : functions) {
    mark(*f);
    if (analysed(*f))
      watcher.watch(*f);
    changed = true;
  }
  return changed;
}

} // namespace rsan
