// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a function is to the plugin: by its attributes, its name, and what the user says of it.

#include "Pass.h"

#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/Constants.h"

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

/// Is it an entry of llvm.global.annotations with that text?
bool says(const User *entry, StringRef what) {
  auto *fields = dyn_cast<ConstantStruct>(entry);
  auto *text = fields && fields->getNumOperands() >= 2
                   ? dyn_cast<GlobalVariable>(fields->getOperand(1)->stripPointerCasts())
                   : nullptr;
  auto *string = text && text->hasInitializer()
                     ? dyn_cast<ConstantDataArray>(text->getInitializer())
                     : nullptr;
  return string && string->isCString() && string->getAsCString() == what;
}

} // namespace

bool isStandardAtomic(const Function &f) {
  return isStandardAtomic(f, false);
}

bool isAtomicConstructor(const Function &f) {
  return isStandardAtomic(f, true);
}

bool isAnnotated(const Function &f, StringRef what) {
  return any_of(f.users(), [what](const User *user) { return says(user, what); });
}

bool analysed(const Function &f) {
  return !f.isDeclaration() && f.hasFnAttribute(Attribute::SanitizeThread) &&
         !f.hasFnAttribute(Attribute::DisableSanitizerInstrumentation) &&
         !f.hasFnAttribute(Attribute::Naked);
}

} // namespace rsan
