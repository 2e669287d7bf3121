// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The optimiser splits a static structure whose members are accessed one by one, and calls the
// parts `ring.0`, `ring.1`. Reports should say `ring.head`. The debug information still tells which
// member each part was, so this pass gives the parts the names of their members. It may rename
// them, because they have internal linkage: no other module refers to them by name.

#include "Member.h"
#include "Pass.h"

#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DebugInfoMetadata.h"

using namespace llvm;

namespace rsan {
namespace {

/// `ns::ring.head`; empty: it is no part of a variable, or the part has no name.
std::string sourceName(const GlobalVariable &global) {
  SmallVector<DIGlobalVariableExpression *, 1> known;
  global.getDebugInfo(known);
  if (known.size() != 1)
    return "";
  auto part = known[0]->getExpression()->getFragmentInfo();
  const DIGlobalVariable *variable = known[0]->getVariable();
  std::string path = part ? pathIn(variable->getType(), part->OffsetInBits / 8) : "";
  StringRef name = variable->getLinkageName();
  return path.empty() ? "" : demangle((name.empty() ? variable->getName() : name).str()) + path;
}

} // namespace

bool nameGlobals(Module &m) {
  bool changed = false;
  for (GlobalVariable &global : m.globals())
    if (global.hasLocalLinkage())
      if (std::string name = sourceName(global); !name.empty()) {
        global.setName(name);
        changed = true;
      }
  return changed;
}

} // namespace rsan
