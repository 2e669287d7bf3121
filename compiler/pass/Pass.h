// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plugin's steps. Two run over each module:
//   early  first of all passes, on what the front end made: functions that leave the analysis are
//          bracketed; stores that initialise atomic objects, wrappers of atomic accesses, and spin
//          loops, are found while they still have the form that they were written in
//   late   last before ThreadSanitizer's pass: what that pass cannot tell apart or does not know
// Each returns whether it has changed the module. Only functions with sanitize_thread are
// rewritten.

#ifndef RSAN_PASS_PASS_H
#define RSAN_PASS_PASS_H

#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"

namespace rsan {

/// Is the function rewritten?
bool analysed(const llvm::Function &f);

/// Members of std::atomic and its relatives, and std::atomic_load etc.: where the compiler does not
/// inline, the operation that is written in the caller is executed there.
bool isStandardAtomic(const llvm::Function &f);
bool isAtomicConstructor(const llvm::Function &f); // or destructor, which stores nothing

/// Has the function annotate(what)?
bool isAnnotated(const llvm::Function &f, llvm::StringRef what);

/// Annotates the functions that -rsan-models= calls locks as operations of a mutex.
bool annotateOwnLocks(llvm::Module &m);

/// Writes down which functions only pass on an access, and has calls of them inlined.
bool markWrappers(llvm::Module &m);

/// Tells the runtime which fields of structures are accessed where.
bool nameFields(llvm::Module &m);

/// Tells the runtime which loads a compare-exchange checks again.
bool nameRechecks(llvm::Module &m, llvm::FunctionAnalysisManager &fam);

/// Tells the runtime which values atomic objects begin with.
bool tellInitialisers(llvm::Module &m);

/// Makes one read-modify-write of a loop of the C++ standard library that is one by the standard.
bool rewriteUpdates(llvm::Function &f, llvm::FunctionAnalysisManager &fam);

/// Brackets what the user took out of the analysis.
bool bracketIgnored(llvm::Module &m);

/// Inlines what a loop of `f` may be waiting with.
bool inlineInLoops(llvm::Function &f);

/// Makes blocking waits of the spin loops of `f`.
bool rewriteSpinLoops(llvm::Function &f, llvm::FunctionAnalysisManager &fam);

/// Makes atomic accesses of volatile ones, of assembly (Old.h), if that was asked for.
bool makeVolatileAtomic(llvm::Function &f);
bool readAssembly(llvm::Function &f);

/// Puts fences beside barriers in assembly, if that was asked for.
bool fenceBarriers(llvm::Function &f);

/// Is the function one of Rust's standard library, by its file? What it does beside atomic accesses
/// is known: its assembly synchronises nothing.
bool isOfRustsLibrary(const llvm::Function &f);

/// Tells the runtime of the function by which Rust's library says that a stack has overflowed. It
/// ends the program, or has the fault do so.
bool noteFaultHandler(llvm::Module &m);

/// Has the functions of Rust's atomic types inlined, so that each access is one of its caller's.
bool inlineAtomics(llvm::Function &f);

/// Marks the accesses inside known locks and channels. Puts a fence behind each read-modify-write
/// of a local that serves as a fence on x86-64.
bool markPrimitives(llvm::Function &f);
/// Marks libstdc++'s own accesses where std::atomic waits, before they are inlined.
bool markWaiters(llvm::Function &f);

/// Weak compare-exchange, and the read-modify-writes that ThreadSanitizer's pass leaves alone.
bool expandAtomics(llvm::Function &f);

/// Gives the parts of split variables the names that the source has for them.
bool nameGlobals(llvm::Module &m);

/// Says and counts what nobody sees, and what would be seen by another option.
bool noteUnseen(llvm::Module &m);

/// Marks the module's functions as instrumented, and tells the runtime of calls of others.
bool watchCalls(llvm::Module &m);

} // namespace rsan

#endif
