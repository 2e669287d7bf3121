// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Wrappers: functions that do for their caller what it has asked for, so that a report names the
// caller. One is
//   a function in which at most one atomic access or fence, or call of another wrapper, is executed
//   on any way through it, and nothing else that anybody else could notice; and in which the object
//   is one that the caller names: a parameter's, an element of a parameter's array, or the only
//   member of its structure. (A function that picks one of several members knows what the structure
//   is for, so it is part of the algorithm.) a function that the user has marked, RSAN_WRAPPER in
//   rsan.h.
// What is written in the module for each is the place of the access or call in it, as a number
// (rsan_source_name.h): a stack's frame at such a place is a wrapper's, inlined or not.
//
// Calls of wrappers are inlined where their callers are analysed, at every level: so the program
// point of the access tells which caller it was, in explanations as well, which have no stacks.

#include "Access.h"
#include "Pass.h"
#include "Wrapper.h"

#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

#include <set>

#include "compiler-rt-patch/src/common/rsan_source_name.h"

using namespace llvm;

namespace rsan {
namespace {

/// Any access and any call of a marked function may be what a report is about.
bool maybeAccess(const Instruction &i) {
  return i.isAtomic() || (isa<CallBase>(i) && !isa<DbgInfoIntrinsic>(i));
}

using Keys = std::set<uint64_t>;

void addKey(Keys &keys, const Instruction &i) {
  // What was inlined already has no debug information of its own: it is the caller's line.
  if (const DILocation *place = i.getDebugLoc(); place && place->getLine())
    keys.insert(keyOf(*place));
}

/// The module's keys, in a section that the tools read, and to the runtime at the start.
void emit(Module &m, const Keys &keys) {
  LLVMContext &context = m.getContext();
  SmallVector<uint64_t, 64> sorted(keys.begin(), keys.end());
  Constant *table = ConstantDataArray::get(context, sorted);
  auto *global = new GlobalVariable(m, table->getType(), true, GlobalValue::PrivateLinkage, table,
                                    "rsan.wrappers");
  global->setSection("rsan_wrappers");
  global->setAlignment(Align(8));
  appendToUsed(m, {global});
  Type *count = Type::getInt32Ty(context);
  auto [constructor, note] = createSanitizerCtorAndInitFunctions(
      m, "rsan.wrappers_ctor", "__rsan_note_wrappers", {PointerType::getUnqual(context), count},
      {global, ConstantInt::get(count, sorted.size())});
  (void)note;
  appendToGlobalCtors(m, constructor, 1); // ThreadSanitizer's, which starts the runtime, has 0
}

bool inlineCalls(Function &f, Wrappers &wrappers) {
  bool changed = false;
  for (Instruction &i : instructions(f)) {
    auto *call = dyn_cast<CallBase>(&i);
    Function *callee = call ? call->getCalledFunction() : nullptr;
    // noinline at -O0 is clang's own.
    if (!callee || call->isMustTailCall() || !wrappers.isFound(*callee) ||
        (callee->hasFnAttribute(Attribute::NoInline) &&
         !callee->hasFnAttribute(Attribute::OptimizeNone)) ||
        (callee->getSubprogram() && !call->getDebugLoc()))
      continue;
    call->addFnAttr(Attribute::AlwaysInline);
    changed = true;
  }
  return changed;
}

} // namespace

std::string fullName(const DISubprogram &function) {
  StringRef linkage = function.getLinkageName();
  return demangle(linkage.empty() ? function.getName().str() : linkage.str());
}

uint64_t keyOf(const DILocation &place) {
  StringRef file = place.getFilename(), folder = place.getDirectory();
  std::string path =
      file.starts_with("/") || folder.empty() ? file.str() : (folder + "/" + file).str();
  std::string normal(path.size() + 2, '\0');
  rsan_normal_path(path.c_str(), normal.data(), normal.size());
  std::string function = fullName(*place.getScope()->getSubprogram());
  return rsan_wrapper_key(normal.c_str(), function.c_str(), place.getLine(), place.getColumn());
}

bool markWrappers(Module &m) {
  Wrappers wrappers;
  Keys keys;
  bool changed = false;
  for (Function &f : m) {
    if (f.isDeclaration())
      continue;
    if (isAnnotated(f, "rsan_wrapper")) {
      for (const Instruction &i : instructions(f))
        if (maybeAccess(i))
          addKey(keys, i);
    } else if (analysed(f) && wrappers.isFound(f)) {
      for (const Instruction *access : wrappers.accesses(f))
        addKey(keys, *access);
    }
    if (analysed(f))
      changed |= inlineCalls(f, wrappers);
  }
  if (keys.empty())
    return changed;
  emit(m, keys);
  return true;
}

} // namespace rsan
