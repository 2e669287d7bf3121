// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// -fsanitize-robustness-asm=x86: inline assembly for x86 in the usual spellings.
//
//   mfence; lock add or lock or of 0 to the stack  a seq_cst fence
//   lfence, sfence, a compiler barrier             an acq_rel fence: what x86 keeps in order by
//   itself lock xadd, cmpxchg, add, inc ..., xchg         a read-modify-write between two seq_cst
//   fences,
//                                                  which such instructions are on x86
//   mov from memory, mov to memory                 an acquire load, a release store, as all are
//   there
//
// Barriers stay where they are and get a fence beside them. An atomic operation replaces each of
// the others if its whole effect is known, down to each result; otherwise it stays as it is.
//
// Intrinsics that are barriers (_mm_mfence, __dmb) say in the source what they are. They are
// understood without the option.

#include "Harmless.h"
#include "Old.h"
#include "Pass.h"
#include "Template.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicsAArch64.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace {
enum class Machine { None, X86 };
} // namespace

static cl::opt<Machine> machine("rsan-asm", cl::init(Machine::None),
                                cl::desc("RSan: inline assembly that is understood"),
                                cl::values(clEnumValN(Machine::None, "none", "none"),
                                           clEnumValN(Machine::X86, "x86", "that of x86")));

namespace rsan {
namespace {

constexpr AtomicOrdering seqCst = AtomicOrdering::SequentiallyConsistent;
const char understood[] = "rsan.understood";

/// The fence that a barrier is; NotAtomic if it is none.
AtomicOrdering barrierIn(const Template &read) {
  if (!read.clobbersMemory || read.statements.size() > 1)
    return AtomicOrdering::NotAtomic;
  if (read.statements.empty())
    return read.operands.empty() ? AtomicOrdering::AcquireRelease : AtomicOrdering::NotAtomic;
  const Statement &only = read.statements[0];
  StringRef name = only.name;
  if (read.operands.empty() && only.words.empty() && !only.locked) {
    if (name == "mfence")
      return seqCst;
    if (name == "lfence" || name == "sfence" || name == "pause" || name == "nop")
      return AtomicOrdering::AcquireRelease;
  }
  const bool adds = name == "addl" || name == "addq" || name == "orl" || name == "orq";
  return only.locked && adds && only.words.size() == 2 && only.words[0] == "$$0" &&
                 (only.words[1].ends_with("(%rsp)") || only.words[1].ends_with("(%esp)"))
             ? seqCst
             : AtomicOrdering::NotAtomic;
}

/// ARM's barrier, by its option: which accesses it orders, in the two lowest bits. (One of
/// stores alone is less than a release fence. To take it for one can only hide.)
AtomicOrdering armBarrier(const CallBase &call) {
  auto *option = dyn_cast<ConstantInt>(call.getArgOperand(0));
  const uint64_t orders = option ? option->getZExtValue() & 3 : 3;
  return orders == 1 ? AtomicOrdering::Acquire : orders == 2 ? AtomicOrdering::Release : seqCst;
}

/// The fence that an intrinsic is; NotAtomic if it is none.
AtomicOrdering intrinsicBarrier(const CallBase &call) {
  const Function *callee = call.getCalledFunction();
  switch (callee ? callee->getIntrinsicID() : Intrinsic::not_intrinsic) {
  case Intrinsic::x86_sse2_mfence:
  case Intrinsic::x86_serialize:
    return seqCst;
  case Intrinsic::x86_sse_sfence:
  case Intrinsic::x86_sse2_lfence:
    return AtomicOrdering::AcquireRelease;
  case Intrinsic::aarch64_dmb:
  case Intrinsic::aarch64_dsb:
    return armBarrier(call);
  default:
    return AtomicOrdering::NotAtomic;
  }
}

/// The order that a piece of assembly, taken as a barrier, has.
AtomicOrdering barrierOf(const CallBase &call) {
  auto *plain = dyn_cast<CallInst>(&call);
  auto *assembly = dyn_cast<InlineAsm>(call.getCalledOperand());
  if (!plain || !assembly || !assembly->hasSideEffects())
    return AtomicOrdering::NotAtomic;
  std::optional<Template> read = readTemplate(*plain);
  // "rep; nop" is two statements
  if (read && isIdle(*assembly) && read->operands.empty() && read->clobbersMemory)
    return AtomicOrdering::AcquireRelease;
  return read ? barrierIn(*read) : AtomicOrdering::NotAtomic;
}

bool isCompilerBarrier(const CallBase &call) {
  auto *assembly = dyn_cast<InlineAsm>(call.getCalledOperand());
  return assembly && isIdle(*assembly) && barrierOf(call) != AtomicOrdering::NotAtomic;
}

/// Where a loop waits with a compiler barrier in it, what comes after the loop is ordered as well,
/// also if the loop becomes one wait.
void fenceExits(const Loop &loop) {
  SmallVector<BasicBlock *, 4> exits;
  loop.getUniqueExitBlocks(exits);
  for (BasicBlock *exit : exits)
    if (exit->getFirstInsertionPt() != exit->end()) {
      IRBuilder<> builder(&*exit->getFirstInsertionPt());
      if (!builder.getCurrentDebugLocation())
        builder.SetCurrentDebugLocation(loop.getStartLoc());
      builder.CreateFence(AtomicOrdering::AcquireRelease);
    }
}

/// The innermost loops with a compiler barrier. (One around such a loop has that one's fence in
/// it.)
void fenceLoops(Function &f) {
  DominatorTree dominators(f);
  LoopInfo loops(dominators);
  SmallSetVector<const Loop *, 8> waiting;
  for (Instruction &i : instructions(f))
    if (auto *call = dyn_cast<CallBase>(&i))
      if (const Loop *loop = loops.getLoopFor(i.getParent()); loop && isCompilerBarrier(*call))
        waiting.insert(loop);
  for (const Loop *loop : waiting)
    fenceExits(*loop);
}

} // namespace

StringRef nameOfKnownAssembly(const CallBase &call) {
  if (isUnderstood(call) || !Triple(call.getModule()->getTargetTriple()).isX86())
    return "";
  // (Delays are none that anybody relies on.)
  if (isCompilerBarrier(call))
    return cast<InlineAsm>(call.getCalledOperand())->getAsmString().empty() ? "a compiler barrier"
                                                                            : "";
  if (barrierOf(call) != AtomicOrdering::NotAtomic)
    return "a barrier";
  auto *plain = dyn_cast<CallInst>(&call);
  return plain ? nameOfOperation(*plain) : "";
}

bool isUnderstood(const CallBase &call) {
  return call.hasMetadata(understood);
}

bool readAssembly(Function &f) {
  if (machine == Machine::None)
    return false;
  bool changed = false;
  for (Instruction &i : make_early_inc_range(instructions(f)))
    if (auto *call = dyn_cast<CallInst>(&i))
      changed |= replaceOperation(*call);
  fenceLoops(f);
  return changed;
}

bool fenceBarriers(Function &f) {
  bool changed = false;
  for (Instruction &i : make_early_inc_range(instructions(f))) {
    auto *call = dyn_cast<CallBase>(&i);
    AtomicOrdering order = call ? intrinsicBarrier(*call) : AtomicOrdering::NotAtomic;
    if (call && machine != Machine::None && order == AtomicOrdering::NotAtomic)
      order = barrierOf(*call);
    if (order == AtomicOrdering::NotAtomic)
      continue;
    IRBuilder<>(call).CreateFence(order);
    call->setMetadata(understood, MDNode::get(f.getContext(), {}));
    changed = true;
  }
  return changed;
}

} // namespace rsan
