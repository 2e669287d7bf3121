// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A plugin of its own: makes every atomic access seq_cst, first of all passes and at each level of
// optimisation. It is what `rsan fix --native` measures a repair against; programs built with it
// have nothing of RSan in them.

#include "Port.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"

using namespace llvm;

namespace {

constexpr AtomicOrdering seqCst = AtomicOrdering::SequentiallyConsistent;

void strengthen(Instruction &i) {
  auto *load = dyn_cast<LoadInst>(&i);
  auto *store = dyn_cast<StoreInst>(&i);
  if (load && load->isAtomic()) {
    load->setOrdering(seqCst);
  } else if (store && store->isAtomic()) {
    store->setOrdering(seqCst);
  } else if (auto *rmw = dyn_cast<AtomicRMWInst>(&i)) {
    rmw->setOrdering(seqCst);
  } else if (auto *cas = dyn_cast<AtomicCmpXchgInst>(&i)) {
    cas->setSuccessOrdering(seqCst);
    cas->setFailureOrdering(seqCst);
  }
}

struct SeqCstPass : PassInfoMixin<SeqCstPass> {
  static bool isRequired() { return true; }
  PreservedAnalyses run(Module &m, ModuleAnalysisManager &) {
    for (Function &f : m)
      for (Instruction &i : instructions(f))
        if (getAtomicSyncScopeID(&i) == SyncScope::System)
          strengthen(i);
    return PreservedAnalyses::none();
  }
};

void registerPasses(PassBuilder &pb) {
  pb.registerPipelineStartEPCallback(
      [](ModulePassManager &mpm, OptimizationLevel) { mpm.addPass(SeqCstPass()); });
}

} // namespace

extern "C" __attribute__((visibility("default"))) PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "rsan-seq-cst", "1", registerPasses};
}
