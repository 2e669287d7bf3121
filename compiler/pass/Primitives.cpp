// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses inside primitives, that is, inside code that is known to be right: locks, channels,
// parkers, and counts of references. Each is put between two calls of the runtime. It then orders
// threads by happens-before, with its own order, and is no step of a cycle otherwise. Primitives
// are
//   - what Rust's standard library does itself, and its test harness. The library's atomic types
//     (core) are no primitives: an access by them is the caller's.
//   - dependences that are primitives by their purpose: the list below. A crate that is compiled
//     from its own workspace is no dependence (its files have relative names), so whoever works on
//     such a crate sees what is inside.
//   - the count of waiters that std::atomic's wait and notify of libstdc++ share.
//
// Another thing that is known of some crates: on x86-64 they execute a seq_cst
// read-modify-write of a local variable where others execute a fence, because it is the faster full
// barrier there. By the rules of the language it orders nothing. A fence is put behind it.

#include "Access.h"
#include "Bracket.h"
#include "Pass.h"

#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Path.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

#include <cstdlib>

using namespace llvm;

static cl::opt<bool> primitivesOff("rsan-judge-primitives", cl::init(false),
                                   cl::desc("RSan: judge the insides of locks and channels, too"));
static cl::opt<std::string>
    localFences("rsan-local-fences", cl::init("known"), cl::value_desc("known|all|none"),
                cl::desc("RSan: where a seq_cst read-modify-write of a local is a fence"));

namespace rsan {
namespace {

enum class Owner { Passed, Other, Primitive };

struct Crate {
  StringRef name, files; // "": all of it
};

const Crate primitiveCrates[] = {
    {"parking_lot", ""},
    {"parking_lot_core", ""},
    {"parking", ""},
    {"crossbeam-utils", "sync/"},
    {"tokio", "runtime/park.rs"},
    {"tokio", "runtime/scheduler/multi_thread/park.rs"},
    {"tokio", "park/"},
};

const Crate fencingCrates[] = {{"event-listener", ""}, {"concurrent-queue", ""}};

/// Returns whether the path has the folder of a version of the crate, and one of its files behind
/// it: .../parking_lot-0.12.1/src/raw_mutex.rs.
bool isIn(StringRef path, const Crate &crate) {
  for (size_t at = path.find(crate.name); at != StringRef::npos;
       at = path.find(crate.name, at + 1)) {
    StringRef rest = path.substr(at + crate.name.size());
    if (at == 0 || path[at - 1] != '/' || !rest.consume_front("-") || rest.empty() ||
        rest[0] < '0' || rest[0] > '9')
      continue;
    rest = rest.substr(rest.find('/'));
    if (rest.consume_front("/src/") && rest.starts_with(crate.files))
      return true;
  }
  return false;
}

/// The file of a dependence has an absolute name; that of the workspace that is built has not.
bool isInAny(const DIFile &file, ArrayRef<Crate> crates) {
  const StringRef name = file.getFilename();
  return sys::path::is_absolute(name) &&
         any_of(crates, [name](const Crate &crate) { return isIn(name, crate); });
}

std::string pathOf(const DIFile &file) {
  if (sys::path::is_absolute(file.getFilename()))
    return file.getFilename().str();
  return (file.getDirectory() + "/" + file.getFilename()).str();
}

/// As the runtime has it for reports (rsan_unreported.cpp).
Owner ownerOf(const DIFile &file) {
  const std::string path = pathOf(file);
  const StringRef rust = StringRef(path).substr(StringRef(path).find("rust"));
  if (rust.contains("/library/std/src/") || rust.contains("/library/test/src/") ||
      rust.contains("/library/alloc/src/sync.rs"))
    return Owner::Primitive;
  if (rust.contains("/library/core/src/") || rust.contains("/library/alloc/src/"))
    return Owner::Passed;
  return isInAny(file, primitiveCrates) ? Owner::Primitive : Owner::Other;
}

bool isOfRust(const Instruction &i) {
  const DILocation *at = i.getDebugLoc();
  return at && at->getScope()->getFile() &&
         at->getScope()->getFile()->getFilename().ends_with(".rs");
}

/// Returns whether the access was written in a primitive: by the innermost function that does not
/// only pass on what others wrote.
bool isInPrimitive(const Instruction &i) {
  for (const DILocation *at = i.getDebugLoc(); at; at = at->getInlinedAt()) {
    const DIFile *file = at->getScope()->getFile();
    const Owner owner = file ? ownerOf(*file) : Owner::Other;
    if (owner != Owner::Passed)
      return owner == Owner::Primitive;
  }
  return false;
}

/// Cargo says which package is being compiled; its own files have relative names.
bool isCompiled(ArrayRef<Crate> crates) {
  const char *package = std::getenv("CARGO_PKG_NAME");
  return package && any_of(crates, [package](const Crate &c) { return c.name == package; });
}

bool isInFencingCrate(const Instruction &i) {
  const bool own = isCompiled(fencingCrates);
  for (const DILocation *at = i.getDebugLoc(); at; at = at->getInlinedAt())
    if (const DIFile *file = at->getScope()->getFile();
        file &&
        (isInAny(*file, fencingCrates) || (own && !sys::path::is_absolute(file->getFilename()))))
      return true;
  return false;
}

/// Returns whether it is an access that the runtime makes: an atomic one, or a call of an entry
/// point that has taken its place.
bool isAccess(const Instruction &i) {
  if (auto *call = dyn_cast<CallInst>(&i)) {
    const Function *callee = call->getCalledFunction();
    return callee && callee->getName().starts_with("__rsan_atomic");
  }
  return i.isAtomic() && !isa<FenceInst>(i);
}

void put(Instruction &access) {
  IRBuilder<> b(&access);
  callRuntime(b, "__rsan_primitive_begin", b.getVoidTy(), {});
  b.SetInsertPoint(access.getNextNode());
  b.SetCurrentDebugLocation(access.getDebugLoc());
  callRuntime(b, "__rsan_primitive_end", b.getVoidTy(), {});
}

/// Returns whether nothing is ever read from the variable: rustc keeps copies of addresses for
/// debuggers alone.
bool isWrittenOnly(const AllocaInst &variable) {
  return all_of(variable.users(), [&variable](const User *user) {
    auto *store = dyn_cast<StoreInst>(user);
    auto *i = dyn_cast<Instruction>(user);
    return (store && store->getPointerOperand() == &variable) || (i && i->isLifetimeStartOrEnd());
  });
}

/// Returns whether a use of a variable's address keeps no copy of it.
bool keepsNoAddress(const Use &use) {
  const auto *user = dyn_cast<Instruction>(use.getUser());
  if (!user)
    return false;
  if (auto *store = dyn_cast<StoreInst>(user)) {
    auto *into = dyn_cast<AllocaInst>(store->getPointerOperand());
    return store->getValueOperand() != use.get() || (into && isWrittenOnly(*into));
  }
  if (auto *call = dyn_cast<CallBase>(user))
    return call->isLifetimeStartOrEnd() ||
           (call->isArgOperand(&use) && call->doesNotCapture(call->getArgOperandNo(&use)));
  return isa<LoadInst>(user) || (atomicAddress(*user) == use.get() &&
                                 none_of(drop_begin(user->operands()), [&use](const Use &other) {
                                   return other.get() == use.get();
                                 }));
}

/// Returns whether it is a seq_cst read-modify-write of a variable whose address goes nowhere: no
/// other thread can see the variable.
bool isOfLocal(const Instruction &i) {
  bool ordered = false;
  if (auto *rmw = dyn_cast<AtomicRMWInst>(&i))
    ordered = rmw->getOrdering() == AtomicOrdering::SequentiallyConsistent;
  else if (auto *cas = dyn_cast<AtomicCmpXchgInst>(&i))
    ordered = cas->getSuccessOrdering() == AtomicOrdering::SequentiallyConsistent;
  if (!ordered)
    return false;
  const auto *variable = dyn_cast<AllocaInst>(atomicAddress(i));
  return variable && all_of(variable->uses(), keepsNoAddress);
}

bool isLocalFence(const Instruction &i) {
  if (localFences == "none" || !isOfLocal(i))
    return false;
  return localFences == "all" || isInFencingCrate(i);
}

void putFence(Instruction &access) {
  IRBuilder<> b(access.getNextNode());
  b.SetCurrentDebugLocation(access.getDebugLoc());
  callRuntime(b, "__rsan_local_fence", b.getVoidTy(), {});
  b.CreateFence(AtomicOrdering::SequentiallyConsistent);
}

/// The functions of libstdc++ behind std::atomic's wait and notify. What they access themselves is
/// a count of waiters, and a word that a waiter sleeps on.
bool isOfWaiters(const Function &f) {
  ItaniumPartialDemangler demangler;
  const std::string mangled = f.getName().str(); // the demangler keeps pointers to it
  if (!f.getName().starts_with("_ZN") || !f.getName().contains("__detail") ||
      demangler.partialDemangle(mangled.c_str()))
    return false;
  char *context = demangler.getFunctionDeclContextName(nullptr, nullptr);
  const bool result = context && StringRef(context).starts_with("std::__detail::__waiter");
  std::free(context);
  return result;
}

} // namespace

bool markWaiters(Function &f) {
  SmallVector<Instruction *, 4> accesses;
  if (!primitivesOff && isOfWaiters(f))
    for (Instruction &i : instructions(f))
      if (isAccess(i))
        accesses.push_back(&i);
  for (Instruction *access : accesses)
    put(*access);
  return !accesses.empty();
}

bool isOfRustsLibrary(const Function &f) {
  const DISubprogram *subprogram = f.getSubprogram();
  const DIFile *file = subprogram ? subprogram->getFile() : nullptr;
  const std::string path = file ? pathOf(*file) : "";
  const size_t rust = StringRef(path).find("rust");
  return StringRef(path).ends_with(".rs") && rust != StringRef::npos &&
         StringRef(path).substr(rust).contains("/library/");
}

bool noteFaultHandler(Module &m) {
  bool noted = false;
  for (Function &f : m) {
    const DISubprogram *subprogram = f.getSubprogram();
    if (f.isDeclaration() || !isOfRustsLibrary(f) || subprogram->getName() != "signal_handler" ||
        !subprogram->getFile()->getFilename().ends_with("/pal/unix/stack_overflow.rs"))
      continue;
    auto [constructor, note] = createSanitizerCtorAndInitFunctions(
        m, "rsan.handler_ctor", "__rsan_note_fault_handler", {f.getType()}, {&f});
    (void)note;
    appendToGlobalCtors(m, constructor, 1); // ThreadSanitizer's, which starts the runtime, has 0
    noted = true;
  }
  return noted;
}

bool inlineAtomics(Function &f) {
  const DISubprogram *subprogram = f.getSubprogram();
  const DIFile *file = subprogram ? subprogram->getFile() : nullptr;
  if (!file || !StringRef(pathOf(*file)).ends_with("/library/core/src/sync/atomic.rs") ||
      f.hasFnAttribute(Attribute::OptimizeNone))
    return false;
  f.removeFnAttr(Attribute::NoInline);
  f.addFnAttr(Attribute::AlwaysInline);
  return true;
}

bool markPrimitives(Function &f) {
  SmallVector<Instruction *, 8> accesses, fences;
  for (Instruction &i : instructions(f)) {
    if (!isAccess(i) || !isOfRust(i))
      continue;
    if (isLocalFence(i))
      fences.push_back(&i);
    else if (!primitivesOff && isInPrimitive(i))
      accesses.push_back(&i);
  }
  for (Instruction *access : accesses)
    put(*access);
  for (Instruction *access : fences)
    putFence(*access);
  return !accesses.empty() || !fences.empty();
}

} // namespace rsan
