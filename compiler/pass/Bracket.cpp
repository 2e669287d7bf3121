// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Bracket.h"

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/EscapeEnumerator.h"

using namespace llvm;

namespace rsan {

void bracket(Function &f, Emit begin, Emit end) {
  BasicBlock::iterator start = f.getEntryBlock().getFirstNonPHIOrDbgOrAlloca();
  IRBuilder<> b(&f.getEntryBlock(), start);
  if (DISubprogram *subprogram = f.getSubprogram())
    b.SetCurrentDebugLocation(DILocation::get(f.getContext(), 0, 0, subprogram));
  begin(b);
  EscapeEnumerator exits(f, "rsan.cleanup");
  while (IRBuilder<> *exit = exits.Next())
    end(*exit);
}

void callRuntime(IRBuilderBase &b, StringRef name, Type *result, ArrayRef<Value *> arguments) {
  SmallVector<Type *, 3> types;
  for (Value *one : arguments)
    types.push_back(one->getType());
  Module *m = b.GetInsertBlock()->getModule();
  FunctionCallee callee = m->getOrInsertFunction(name, FunctionType::get(result, types, false));
  if (auto *f = dyn_cast<Function>(callee.getCallee()))
    f->setDoesNotThrow();
  b.CreateCall(callee, arguments)->setDoesNotThrow();
}

} // namespace rsan
