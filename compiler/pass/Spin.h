// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Spin loops, in four steps (docs/internals/SPIN-LOOPS.md has the conditions and why they suffice):
//   inline    small functions that a loop might be waiting with, in the program itself
//   simplify  a copy of the function, to see through local variables at every level of optimisation
//   analyse   the copy's loops, innermost first
//   replace   the program's accesses by entry points that wait

#ifndef RSAN_PASS_SPIN_H
#define RSAN_PASS_SPIN_H

#include "Match.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace rsan {

/// Is this what a wait is made of: an atomic load, a compare-exchange, an exchange, or another
/// read-modify-write that may leave the value as it is (fetch_or, fetch_and)?
bool isAttempt(const llvm::Instruction &i);

/// May an instruction of the original turn out to be an attempt? Less is known there: fetch_add(n),
/// say, is one if n turns out to be 0.
bool mayBeAttempt(const llvm::Instruction &i);

/// Is it a function of a kind whose loops are looked at?
bool mayHaveSpinLoops(const llvm::Function &f);

/// Simplifies a copy of a function until local variables are values, and whatever is constant
/// shows.
void simplify(llvm::Function &f, llvm::FunctionAnalysisManager &fam);

/// A simplified copy of a function. Instructions that touch memory, and calls, know which one of
/// the original they are, as long as there is one of them.
class Copy {
public:
  Copy(llvm::Function &original, llvm::FunctionAnalysisManager &fam);
  ~Copy();
  Copy(const Copy &) = delete;

  /// Is it a note of the copy, which is no part of the program?
  static bool isSnapshot(const llvm::CallInst &call);

  /// The instruction of the original that an instruction of the copy comes from; null if there is
  /// not exactly one.
  llvm::Instruction *original(const llvm::Value *i) const;
  /// The variable of the original that holds `v` where `attempt` is about to be executed, or null.
  llvm::AllocaInst *holder(const llvm::Instruction *attempt, const llvm::Value *v) const;

  llvm::Function *function;

private:
  void endLives();
  void note(llvm::ValueToValueMapTy &map);
  void index();

  llvm::Function &from;
  llvm::FunctionAnalysisManager &fam;
  llvm::SmallVector<llvm::Instruction *, 32> originals; // by number
  llvm::SmallVector<llvm::AllocaInst *, 32> variables;  // that snapshots may show
  llvm::DenseMap<unsigned, unsigned> occurrences;       // of a number, in the simplified copy
  llvm::DenseMap<unsigned, llvm::CallInst *> snapshots; // by number of the attempt
};

/// One access of a loop that waits. Values are the copy's.
struct Attempt {
  llvm::Instruction *access;
  Condition condition; // not for compare-exchange, which waits for the value that it expects
  bool once = false;   // it is no wait, but in vain if it fails (Locks.cpp)
};

/// What a loop is. No attempts: it does not wait, `reason` says why (null: nobody would think so).
struct Verdict {
  llvm::SmallVector<Attempt, 2> attempts;
  llvm::SmallVector<llvm::Instruction *, 2> silent; // of inner waits: nothing of them may count
  const char *reason = nullptr;
  llvm::Instruction *where = nullptr; // an access of the loop; null: it has none
};

/// Looks at the loops of one copy; inner loops must be asked about before outer ones.
class SpinAnalysis {
public:
  /// `talks`: somebody wants to know of loops that nobody would take for waits, too.
  SpinAnalysis(llvm::LoopInfo &loops, llvm::DominatorTree &dominators, bool talks)
      : loops(loops), dominators(dominators), talks(talks) {}
  Verdict analyse(llvm::Loop *loop);
  void withdraw(llvm::Loop *loop) { waits.erase(loop); }
  /// The first read of a wait that reads again, which is in front of its loop; null for others.
  llvm::Instruction *firstRead(const llvm::Loop *wait) const { return waits.lookup(wait); }

private:
  friend class LoopAnalyser;
  llvm::LoopInfo &loops;
  llvm::DominatorTree &dominators;
  bool talks;
  llvm::DenseMap<const llvm::Loop *, llvm::Instruction *> waits; // with their first reads
};

/// Does the function that is called make atomic accesses, as far as that can be seen?
bool callsAtomics(const llvm::CallBase &call);

/// Compare-exchanges of the copy that a futex call follows if they fail.
llvm::SmallVector<Attempt, 2> findLockAttempts(const Copy &copy);
/// Could there be any?
bool mayHaveLockAttempts(const llvm::Function &f);

/// Is the value that a load of the loop finds used for nothing but the loop's condition?
bool servesConditionAlone(const llvm::Loop &loop, const llvm::Instruction &load);

/// Can the original do what the copy's attempts need?
bool canReplace(const Copy &copy, llvm::DominatorTree &dominators, const Attempt &attempt);

/// Calls the entry point that waits, in front of the original attempt; one that nobody notices,
/// where it is `silent`.
llvm::CallInst *callAttempt(const Copy &copy, llvm::DominatorTree &dominators,
                            const Attempt &attempt, bool silent);

} // namespace rsan

#endif
