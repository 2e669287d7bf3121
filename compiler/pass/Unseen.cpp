// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Synchronisation that is no atomic operation of the source language: assembly, the hardware's own
// fences, libatomic. RSan can only say that it is there.

#include "Access.h"
#include "Harmless.h"
#include "Old.h"
#include "Pass.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAArch64.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace rsan {
namespace {

/// The line up to its comment: "//" or "#", unless the "#" begins one of ARM's numbers.
StringRef withoutComment(StringRef line) {
  line = line.substr(0, line.find("//"));
  for (size_t at = line.find('#'); at != StringRef::npos; at = line.find('#', at + 1)) {
    const char next = at + 1 < line.size() ? line[at + 1] : ' ';
    if (!isDigit(next) && next != '-' && next != '$' && next != '%' && next != ':')
      return line.substr(0, at);
  }
  return line;
}

/// The instructions of a template, lower case, without operands; prefixes count as instructions.
SmallVector<std::string, 4> mnemonics(const InlineAsm &assembly) {
  SmallVector<std::string, 4> result;
  SmallVector<StringRef, 4> statements;
  StringRef(assembly.getAsmString()).split(statements, '\n');
  for (StringRef line : statements) {
    SmallVector<StringRef, 4> parts;
    withoutComment(line).split(parts, ';');
    for (StringRef part : parts)
      // "rep nop", "lock xaddl", "1: ldxr": a prefix or a label hides what follows it
      for (bool prefix = true; prefix;) {
        auto [word, rest] = getToken(part);
        std::string name = word.lower();
        prefix = name == "rep" || name == "lock" || StringRef(name).ends_with(":");
        if (!name.empty())
          result.push_back(name);
        part = rest;
      }
  }
  return result;
}

bool startsWithAny(StringRef name, ArrayRef<StringRef> prefixes) {
  return any_of(prefixes, [=](StringRef prefix) { return name.starts_with(prefix); });
}

/// Names of one processor are none of the other's.
bool isAtomicOrFence(StringRef name) {
  static const StringRef x86[] = {"xchg", "cmpxchg", "xadd"};
  // Exclusive pairs, with acquire and release and without; those of LSE, each in all its sizes and
  // orders.
  static const StringRef arm[] = {"ldxr",   "ldxp",   "ldaxr",  "ldaxp",  "stxr",  "stxp",  "stlxr",
                                  "stlxp",  "cas",    "swp",    "ldadd",  "ldclr", "ldeor", "ldset",
                                  "ldsmax", "ldsmin", "ldumax", "ldumin", "stadd", "stclr", "steor",
                                  "stset",  "stsmax", "stsmin", "stumax", "stumin"};
  return name == "lock" || name == "mfence" || name == "dmb" || name == "dsb" ||
         startsWithAny(name, x86) || startsWithAny(name, arm);
}

bool isBarrier(StringRef name) {
  // Loads and stores of ARM's that are half a barrier.
  static const StringRef arm[] = {"ldar", "ldlar", "ldapr", "ldapur", "stlr", "stllr", "stlur"};
  return isAtomicOrFence(name) || name == "lfence" || name == "sfence" || name == "serialize" ||
         startsWithAny(name, arm);
}

bool isLibatomic(const Function &callee) {
  StringRef name = callee.getName();
  return callee.isDeclaration() && (name.starts_with("__atomic_") || name.starts_with("__sync_")) &&
         !name.contains("lock_free");
}

/// What ThreadSanitizer's pass skips for its size.
bool isOddAtomic(const Instruction &i, const DataLayout &layout) {
  if (!i.isAtomic() || isa<FenceInst>(i))
    return false;
  if (auto *cas = dyn_cast<AtomicCmpXchgInst>(&i))
    return !accessBits(layout, cas->getCompareOperand()->getType());
  if (auto *rmw = dyn_cast<AtomicRMWInst>(&i))
    return !accessBits(layout, rmw->getType());
  return !accessBits(layout, getLoadStoreType(const_cast<Instruction *>(&i)));
}

/// What `i` is, if nobody sees it.
StringRef unseenAs(const Instruction &i, const DataLayout &layout) {
  if (isOddAtomic(i, layout))
    return "an atomic access of unusual size";
  auto *call = dyn_cast<CallBase>(&i);
  if (!call || isUnderstood(*call))
    return "";
  if (auto *assembly = dyn_cast<InlineAsm>(call->getCalledOperand()))
    return isUnseen(*assembly) ? "inline assembly" : "";
  const Function *callee = call->getCalledFunction();
  if (!callee)
    return "";
  if (isUnseenAtomic(*call))
    return "an atomic intrinsic";
  return !callee->isIntrinsic() && isLibatomic(*callee) ? "a call of libatomic" : "";
}

/// Accesses that another option would make atomic, said once a function.
struct Others {
  unsigned count = 0;
  const Instruction *first = nullptr;
  StringRef what;
  void note(const Instruction &i, StringRef kind) {
    if (kind.empty())
      return;
    if (!count++) {
      first = &i;
      what = kind;
    }
  }
  void say(Function &f, StringRef name, StringRef begin, StringRef end) const {
    if (!count)
      return;
    OptimizationRemarkEmitter(&f).emit([&] {
      OptimizationRemarkAnalysis remark("rsan", name, first);
      remark << begin << what;
      if (count > 1)
        remark << " and " << ore::NV("More", count - 1) << " more such in this function";
      remark << end;
      return remark;
    });
  }
};

/// What a module has of them.
struct Old {
  unsigned volatiles = 0, assembly = 0;
};

void countOld(Function &f, Old *old) {
  Others volatiles, assembly;
  for (const Instruction &i : instructions(f)) {
    volatiles.note(i, isPlainVolatile(i) ? "a volatile access" : "");
    if (auto *call = dyn_cast<CallBase>(&i))
      assembly.note(i, nameOfKnownAssembly(*call));
  }
  volatiles.say(f, "Volatile", "RSan takes for plain what is ",
                ": -fsanitize-robustness-volatile=relaxed, or acq_rel, makes it atomic");
  assembly.say(f, "Assembly", "RSan does not see ",
               " in inline assembly: -fsanitize-robustness-asm=x86 makes it C's own");
  old->volatiles += volatiles.count;
  old->assembly += assembly.count;
}

unsigned countIn(Function &f) {
  const Instruction *first = nullptr;
  StringRef what;
  unsigned count = 0, said = 0;
  for (const Instruction &i : instructions(f)) {
    StringRef kind = unseenAs(i, f.getDataLayout());
    if (kind.empty())
      continue;
    count++;
    // What the other option understands has a remark of its own.
    auto *call = dyn_cast<CallBase>(&i);
    if (call && !nameOfKnownAssembly(*call).empty())
      continue;
    if (!said++) {
      first = &i;
      what = kind;
    }
  }
  if (said) {
    OptimizationRemarkEmitter emitter(&f);
    emitter.emit([&] {
      OptimizationRemarkAnalysis remark("rsan", "Unseen", first);
      remark << "RSan does not see " << what;
      if (said > 1)
        remark << " and " << ore::NV("More", said - 1) << " more such in this function";
      remark << ": if other threads are synchronised by it, use C or C++ atomics";
      return remark;
    });
  }
  return count;
}

/// Does the instruction access memory that other functions may know?
bool accessesMemory(const Instruction &i) {
  if (i.isAtomic() || isa<MemIntrinsic>(i))
    return true;
  if (auto *call = dyn_cast<CallBase>(&i))
    return isa<InlineAsm>(call->getCalledOperand()) && !isHarmlessCall(*call);
  const Value *pointer = getLoadStorePointerOperand(&i);
  return pointer && !isa<AllocaInst>(getUnderlyingObject(pointer));
}

/// Functions that the user has taken out, by no_sanitize and the like, and that access memory.
unsigned countHidden(const Module &m) {
  return count_if(m, [](const Function &f) {
    bool out = !f.hasFnAttribute(Attribute::SanitizeThread) ||
               f.hasFnAttribute(Attribute::DisableSanitizerInstrumentation);
    bool own = f.getName().starts_with("tsan.") || f.getName().starts_with("rsan.");
    return !f.isDeclaration() && out && !own && !isOfRustsLibrary(f) &&
           any_of(instructions(f), accessesMemory);
  });
}

/// Tells the runtime at the start how many of them the module has.
void tell(Module &m, unsigned count, StringRef constructorName, StringRef entry) {
  if (!count)
    return;
  Type *number = Type::getInt32Ty(m.getContext());
  auto [constructor, note] = createSanitizerCtorAndInitFunctions(
      m, constructorName, entry, {number}, {ConstantInt::get(number, count)});
  (void)note;
  appendToGlobalCtors(m, constructor, 1); // ThreadSanitizer's, which starts the runtime, has 0
}

/// A local function in the module, by which the tools know that this pass has seen it. The runtime
/// counts its calls; stock ThreadSanitizer's, which an object may be linked with as well, has
/// nothing to call.
void emitCompiled(Module &m) {
  auto [constructor, note] = createSanitizerCtorAndInitFunctions(
      m, "rsan.compiled_ctor", "__rsan_note_compiled", {}, {}, "", /*Weak=*/true);
  (void)note;
  // ThreadSanitizer's has the same priority and comes behind: it finds the file counted already.
  appendToGlobalCtors(m, constructor, 0);
}

/// In a section that the tools read, and to the runtime at the start.
void emitOld(Module &m, const Old &old) {
  const uint32_t numbers[] = {old.volatiles, old.assembly};
  Constant *both = ConstantDataArray::get(m.getContext(), numbers);
  auto *global =
      new GlobalVariable(m, both->getType(), true, GlobalValue::PrivateLinkage, both, "rsan.plain");
  global->setSection("rsan_plain");
  global->setAlignment(Align(4));
  appendToUsed(m, {global});
  Type *number = Type::getInt32Ty(m.getContext());
  auto [constructor, note] = createSanitizerCtorAndInitFunctions(
      m, "rsan.plain_ctor", "__rsan_note_plain", {number, number},
      {ConstantInt::get(number, old.volatiles), ConstantInt::get(number, old.assembly)});
  (void)note;
  appendToGlobalCtors(m, constructor, 1); // ThreadSanitizer's, which starts the runtime, has 0
}

} // namespace

bool isIdle(const InlineAsm &assembly) {
  static const StringRef idle[] = {"pause", "nop", "rep", "yield", "isb", "wfe", "sev", "sevl"};
  return all_of(mnemonics(assembly), [](StringRef name) { return is_contained(idle, name); });
}

bool isUnseen(const InlineAsm &assembly) {
  if (isIdle(assembly))
    return false;
  if (StringRef(assembly.getConstraintString()).contains("~{memory}"))
    return true;
  return any_of(mnemonics(assembly), isBarrier);
}

bool isUnseenAtomic(const CallBase &call) {
  const Function *callee = call.getCalledFunction();
  switch (callee ? callee->getIntrinsicID() : Intrinsic::not_intrinsic) {
  case Intrinsic::aarch64_ldxr:
  case Intrinsic::aarch64_ldxp:
  case Intrinsic::aarch64_ldaxr:
  case Intrinsic::aarch64_ldaxp:
  case Intrinsic::aarch64_stxr:
  case Intrinsic::aarch64_stxp:
  case Intrinsic::aarch64_stlxr:
  case Intrinsic::aarch64_stlxp:
  case Intrinsic::x86_cmpccxadd32:
  case Intrinsic::x86_cmpccxadd64:
  case Intrinsic::x86_aadd32:
  case Intrinsic::x86_aadd64:
  case Intrinsic::x86_aand32:
  case Intrinsic::x86_aand64:
  case Intrinsic::x86_aor32:
  case Intrinsic::x86_aor64:
  case Intrinsic::x86_axor32:
  case Intrinsic::x86_axor64:
    return true;
  default:
    return false;
  }
}

bool maySynchronise(const InlineAsm &assembly) {
  return any_of(mnemonics(assembly), isAtomicOrFence);
}

/// std::thread::yield_now and sleep of Rust; between `thread` and the name there may be a module.
static bool isRustsPause(StringRef name) {
  return name.starts_with("_RN") && name.contains("_3std6thread") &&
         (name.ends_with("9yield_now") || name.ends_with("5sleep"));
}

bool isHarmlessCall(const CallBase &call) {
  if (auto *assembly = dyn_cast<InlineAsm>(call.getCalledOperand()))
    return call.getType()->isVoidTy() && isIdle(*assembly);
  const Function *callee = call.getCalledFunction();
  if (!callee)
    return false;
  switch (callee->getIntrinsicID()) {
  case Intrinsic::not_intrinsic:
    break;
  case Intrinsic::x86_sse2_pause:
  case Intrinsic::aarch64_hint:
  case Intrinsic::aarch64_isb:
  case Intrinsic::assume:
  case Intrinsic::donothing:
  case Intrinsic::sideeffect:
  case Intrinsic::var_annotation:
  case Intrinsic::experimental_noalias_scope_decl:
  case Intrinsic::instrprof_cover:
  case Intrinsic::instrprof_increment:
  case Intrinsic::instrprof_increment_step:
  case Intrinsic::instrprof_timestamp:
    return true;
  default:
    return isa<DbgInfoIntrinsic>(call) || call.isLifetimeStartOrEnd() ||
           (call.doesNotAccessMemory() && call.willReturn() && call.doesNotThrow());
  }
  // The time of a nanosleep is read from memory, but nothing depends on it; what is left of it
  // does.
  StringRef name = callee->getName();
  if (name == "nanosleep")
    return call.arg_size() == 2 && isa<ConstantPointerNull>(call.getArgOperand(1));
  return name == "sched_yield" || name == "thrd_yield" || name == "pthread_yield" ||
         name == "usleep" || name == "_ZNSt11this_thread5yieldEv" || isRustsPause(name) ||
         name.starts_with("__ubsan_handle_");
}

bool noteUnseen(Module &m) {
  unsigned count = 0;
  Old old;
  for (Function &f : m)
    if (!f.isDeclaration() && f.hasFnAttribute(Attribute::SanitizeThread) && !isOfRustsLibrary(f)) {
      count += countIn(f);
      countOld(f, &old);
    }
  if (old.volatiles || old.assembly)
    emitOld(m, old);
  emitCompiled(m);
  const unsigned hidden = countHidden(m);
  tell(m, count, "rsan.module_ctor", "__rsan_note_unseen");
  tell(m, hidden, "rsan.hidden_ctor", "__rsan_note_hidden");
  return true;
}

} // namespace rsan
