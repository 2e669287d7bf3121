// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How compilers find the passes. clang registers a plugin's callbacks before its own, so what is
// last in the pipeline here still precedes ThreadSanitizer's pass. Link-time optimisation has both
// in the compilation's part of the pipeline, so linkers need not load the plugin.

#include "Pass.h"
#include "Port.h"

#include "llvm-c/Core.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CommandLine.h"

#include <cstdio>
#include <cstdlib>
#include <unistd.h>

using namespace llvm;

/// The first thing that happens in this file: a clang of another release, which rsan.cfg may make
/// load it, would crash.
__attribute__((constructor(101))) static void requireRelease() {
  unsigned major = 0;
  LLVMGetVersion(&major, nullptr, nullptr);
  if (major == LLVM_VERSION_MAJOR)
    return;
  std::fprintf(
      stderr,
      "librsan-pass: error: this RSan is for clang %d, and clang %u loads it: use clang-%d\n",
      LLVM_VERSION_MAJOR, major, LLVM_VERSION_MAJOR);
  _exit(1);
}

static cl::opt<bool> spinLoops("rsan-spin-loops", cl::init(true),
                               cl::desc("RSan: make blocking waits of spin loops"));

namespace rsan {
namespace {

/// Modules come here again as bitcode, or when the user names the plugin too; once is enough.
bool firstTime(Module &m, StringRef step) {
  if (m.getNamedMetadata(step))
    return false;
  m.getOrInsertNamedMetadata(step);
  return true;
}

struct EarlyPass : PassInfoMixin<EarlyPass> {
  static bool isRequired() { return true; }
  PreservedAnalyses run(Module &m, ModuleAnalysisManager &mam) {
    if (!firstTime(m, "rsan.early"))
      return PreservedAnalyses::all();
    annotateOwnLocks(m);
    for (Function &f : m)
      if (analysed(f)) {
        inlineAtomics(f);
        makeVolatileAtomic(f);
        readAssembly(f);
      }
    auto &fam = mam.getResult<FunctionAnalysisManagerModuleProxy>(m).getManager();
    SmallVector<Function *, 64> functions; // the analysis adds some for a while
    for (Function &f : m)
      if (analysed(f))
        functions.push_back(&f);
    for (Function *f : functions)
      rewriteUpdates(*f, fam);
    tellInitialisers(m);
    nameFields(m);
    nameRechecks(m, fam);
    markWrappers(m);
    // All before the first rewriting: what has become a wait can no longer be seen through.
    for (Function *f : functions)
      if (spinLoops && inlineInLoops(*f))
        fam.invalidate(*f, PreservedAnalyses::none());
    for (Function *f : functions)
      if (spinLoops && rewriteSpinLoops(*f, fam))
        fam.invalidate(*f, PreservedAnalyses::none());
    for (Function *f : functions)
      markWaiters(*f);
    bracketIgnored(m);
    return PreservedAnalyses::none();
  }
};

struct LatePass : PassInfoMixin<LatePass> {
  static bool isRequired() { return true; }
  PreservedAnalyses run(Module &m, ModuleAnalysisManager &) {
    if (!firstTime(m, "rsan.late"))
      return PreservedAnalyses::all();
    for (Function &f : m)
      if (analysed(f)) {
        fenceBarriers(f);
        markPrimitives(f);
        expandAtomics(f);
      }
    nameGlobals(m);
    noteFaultHandler(m);
    noteUnseen(m);
    watchCalls(m);
    return PreservedAnalyses::none();
  }
};

bool addNamed(StringRef name, ModulePassManager &mpm, ArrayRef<PassBuilder::PipelineElement>) {
  if (name == "rsan-early")
    mpm.addPass(EarlyPass());
  else if (name == "rsan-late")
    mpm.addPass(LatePass());
  else
    return false;
  return true;
}

/// Unless the user has said something else.
void setDefault(StringRef option, StringRef value) {
  auto &options = cl::getRegisteredOptions();
  auto found = options.find(option);
  if (found != options.end() && found->second->getNumOccurrences() == 0)
    found->second->addOccurrence(0, option, value);
}

/// Accesses of two places stay two: what is made one of both branches has no line, in reports or
/// for repairs.
void keepPlacesApart() {
  setDefault("hoist-common-insts", "false");
  setDefault("sink-common-insts", "false");
  setDefault("enable-tail-merge", "false");
}

/// rustc reads its options for LLVM before it loads plugins, so they are in a variable there.
void readEnvironment() {
  const char *text = std::getenv("RSAN_PASS_OPTIONS");
  SmallVector<StringRef, 4> words;
  SplitString(text ? text : "", words);
  for (StringRef word : words) {
    auto [option, value] = word.split('=');
    setDefault(option, value);
  }
}

void registerPasses(PassBuilder &pb) {
  keepPlacesApart();
  readEnvironment();
  pb.registerPipelineStartEPCallback(
      [](ModulePassManager &mpm, OptimizationLevel) { mpm.addPass(EarlyPass()); });
  atOptimizerLast(pb, [](ModulePassManager &mpm) { mpm.addPass(LatePass()); });
  pb.registerPipelineParsingCallback(addNamed);
}

} // namespace
} // namespace rsan

extern "C" __attribute__((visibility("default"))) PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "rsan", "1", rsan::registerPasses};
}
