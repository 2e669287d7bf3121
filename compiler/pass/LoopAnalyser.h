// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The examination of one loop: what it contains (Loop.cpp), and how it ends (Attempts.cpp).

#ifndef RSAN_PASS_LOOP_ANALYSER_H
#define RSAN_PASS_LOOP_ANALYSER_H

#include "Spin.h"

namespace rsan {

class LoopAnalyser {
public:
  LoopAnalyser(SpinAnalysis &all, llvm::Loop *loop) : all(all), loop(loop) {}
  bool run(Verdict &verdict);

private:
  bool fail(const char *why);

  // What is in it
  bool collect();
  bool visit(llvm::Instruction &i);
  const llvm::Loop *innerWait(const llvm::Instruction &i) const;
  bool sameAddress();
  bool decideEnd(llvm::ArrayRef<llvm::Instruction *> accesses);
  bool findExit();
  bool nothingElseLeaves();
  bool invariant(llvm::Value *v, unsigned depth = 0);
  bool ofLastAttempt(llvm::Value *v, unsigned depth = 0);
  bool dependsOn(llvm::Value *v, llvm::Value *what);
  bool inEachRound(const llvm::BasicBlock *block) const;

  // How it ends
  bool single(Verdict &verdict);
  bool guarded(Verdict &verdict);
  bool readAgain(Verdict &verdict, llvm::LoadInst *load);
  bool innerWaits(Verdict &verdict);
  bool decides(Verdict &verdict, llvm::Instruction *attempt, llvm::Value *found);
  bool decidesExchange(llvm::AtomicCmpXchgInst *cas);
  llvm::PHINode *carriedBy(llvm::LoadInst *load);
  bool matchBranch(llvm::Instruction *terminator, llvm::function_ref<bool(llvm::BasicBlock *)> ends,
                   llvm::Value *found, llvm::Instruction *attempt, Condition &condition);

  SpinAnalysis &all;
  llvm::Loop *loop;
  llvm::SmallVector<llvm::Instruction *, 2> own;   // attempts that no inner wait has
  llvm::SmallVector<llvm::Instruction *, 2> inner; // those that an inner wait has
  // Other atomic accesses of this very loop, and calls that make some.
  llvm::SmallVector<llvm::Instruction *, 2> others;
  llvm::Value *address = nullptr;      // of all of them
  llvm::Instruction *exit = nullptr;   // the branch that leaves the loop
  llvm::Value *last = nullptr;         // what holds the value found last, if not an attempt itself
  llvm::Value *guardedValue = nullptr; // a value that is the awaited one where it is used
  const char *reason = nullptr;
};

/// Neither changes nor reads anything that matters.
bool isIdle(const llvm::Instruction &i);

llvm::Value *addressOf(llvm::Instruction *attempt);

/// N of an attempt's access; 0 where there is no entry point that waits.
unsigned waitBits(llvm::Instruction *attempt);

} // namespace rsan

#endif
