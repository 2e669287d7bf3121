// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inline assembly in parts: the statements of its template (AT&T's syntax, as LLVM keeps it) and
// its operands.

#ifndef RSAN_PASS_TEMPLATE_H
#define RSAN_PASS_TEMPLATE_H

#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"

#include <optional>

namespace rsan {

struct Statement {
  bool locked = false;
  std::string name;                            // lower case
  llvm::SmallVector<llvm::StringRef, 2> words; // its operands, as they are written
};

/// A numbered operand.
struct Operand {
  llvm::Value *pointer = nullptr; // of one in memory
  llvm::Value *in = nullptr;      // the value that a register has before
  int output = -1;                // which result of the call it is
  bool input = false, accumulator = false, tied = false;
  bool zeroFlag = false; // whether the result was zero, or the exchange took place
};

struct Template {
  llvm::SmallVector<Statement, 2> statements;
  llvm::SmallVector<Operand, 6> operands;
  bool clobbersMemory = false;
};

/// Nothing if some part of it is in no usual form.
std::optional<Template> readTemplate(const llvm::CallInst &call);

/// Is it the same address, which the program wrote twice? ("=m" and "m" of one object; what they
/// load is not optimised yet.)
bool isSamePlace(const llvm::Value *a, const llvm::Value *b);

/// The number of the operand that the word names ($1, ${1:b}), -1 if it names none.
int operandOf(llvm::StringRef word);

} // namespace rsan

#endif
