// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Access.h"
#include "Pass.h"

#include "llvm/Demangle/Demangle.h"

using namespace llvm;

namespace rsan {
namespace {

bool isInStd(StringRef context) {
  return context == "std" || context == "std::__1" || context.starts_with("std::");
}

bool isStandardAtomic(const Function &f, bool constructorsOnly) {
  ItaniumPartialDemangler demangler;
  std::string mangled = f.getName().str(); // the demangler keeps pointers to it
  if (!f.getName().starts_with("_Z") || demangler.partialDemangle(mangled.c_str()) ||
      !demangler.isFunction() || (constructorsOnly && !demangler.isCtorOrDtor()))
    return false;
  char *context = demangler.getFunctionDeclContextName(nullptr, nullptr);
  char *name = demangler.getFunctionBaseName(nullptr, nullptr);
  StringRef in = context ? context : "", of = name ? name : "";
  StringRef type = in.substr(0, in.find('<'));
  bool result = isInStd(in) && (type.contains("atomic") || of.starts_with("atomic_"));
  std::free(context);
  std::free(name);
  return result;
}

} // namespace

bool isStandardAtomic(const Function &f) {
  return isStandardAtomic(f, false);
}

bool isAtomicConstructor(const Function &f) {
  return isStandardAtomic(f, true);
}

bool analysed(const Function &f) {
  return !f.isDeclaration() && f.hasFnAttribute(Attribute::SanitizeThread) &&
         !f.hasFnAttribute(Attribute::DisableSanitizerInstrumentation) &&
         !f.hasFnAttribute(Attribute::Naked);
}

} // namespace rsan
