// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Template.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace rsan {
namespace {

/// At commas that are in no parentheses.
void splitWords(StringRef text, SmallVectorImpl<StringRef> &words) {
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i <= text.size(); i++) {
    if (i < text.size() && text[i] == '(')
      depth++;
    else if (i < text.size() && text[i] == ')')
      depth--;
    if (i < text.size() && (text[i] != ',' || depth))
      continue;
    StringRef word = text.slice(begin, i).trim();
    if (!word.empty())
      words.push_back(word);
    begin = i + 1;
  }
}

void readStatements(StringRef text, SmallVectorImpl<Statement> &statements) {
  SmallVector<StringRef, 4> lines, parts;
  bool locked = false;
  text.split(lines, '\n');
  for (StringRef line : lines)
    line.split('#').first.split(parts, ';');
  for (StringRef part : parts) {
    auto [name, rest] = getToken(part.trim());
    if (name.equals_insensitive("lock")) {
      locked = true;
      std::tie(name, rest) = getToken(rest);
    }
    if (name.empty())
      continue;
    Statement statement;
    statement.locked = locked;
    statement.name = name.lower();
    splitWords(rest, statement.words);
    statements.push_back(statement);
    locked = false;
  }
}

bool isZeroFlag(StringRef code) {
  return code == "{@cce}" || code == "{@ccz}";
}

/// What a constraint says, and which argument of the call is meant.
bool readOperand(const InlineAsm::ConstraintInfo &info, const CallInst &call, unsigned *argument,
                 int *result, Template *read) {
  if (info.Type == InlineAsm::isClobber) {
    read->clobbersMemory |= is_contained(info.Codes, "{memory}");
    return true;
  }
  if (info.Type == InlineAsm::isLabel || !info.multipleAlternatives.empty())
    return false;
  Operand operand;
  operand.input = info.Type == InlineAsm::isInput;
  for (const std::string &code : info.Codes) {
    operand.accumulator |= code == "{ax}";
    operand.zeroFlag |= isZeroFlag(code);
    operand.tied |= info.Type == InlineAsm::isInput && isDigit(code[0]);
  }
  if (info.isIndirect)
    operand.pointer = call.getArgOperand((*argument)++);
  else if (info.Type == InlineAsm::isOutput)
    operand.output = (*result)++;
  else
    operand.in = call.getArgOperand((*argument)++);
  if (operand.tied) {
    unsigned with = 0;
    if (StringRef(info.Codes[0]).getAsInteger(10, with) || with >= read->operands.size())
      return false;
    read->operands[with].in = operand.in;
  }
  read->operands.push_back(operand);
  return true;
}

} // namespace

std::optional<Template> readTemplate(const CallInst &call) {
  auto *assembly = dyn_cast<InlineAsm>(call.getCalledOperand());
  Template read;
  if (!assembly || assembly->getDialect() != InlineAsm::AD_ATT ||
      StringRef(assembly->getAsmString()).contains("$("))
    return std::nullopt;
  readStatements(assembly->getAsmString(), read.statements);
  unsigned argument = 0;
  int result = 0;
  for (const InlineAsm::ConstraintInfo &info : assembly->ParseConstraints())
    if (!readOperand(info, call, &argument, &result, &read))
      return std::nullopt;
  return read;
}

/// Is memory the same at both, which are of one block?
static bool isQuietBetween(const Instruction *a, const Instruction *b) {
  if (a->getParent() != b->getParent())
    return false;
  if (b->comesBefore(a))
    std::swap(a, b);
  for (; a != b; a = a->getNextNode())
    if (a->mayWriteToMemory())
      return false;
  return true;
}

bool isSamePlace(const Value *a, const Value *b) {
  if (a == b)
    return true;
  auto *one = dyn_cast<Instruction>(a), *other = dyn_cast<Instruction>(b);
  if (!one || !other || !one->isSameOperationAs(other))
    return false;
  auto *load = dyn_cast<LoadInst>(one);
  if (load ? !load->isSimple() || !isQuietBetween(one, other)
           : !isa<GetElementPtrInst>(one) && !isa<CastInst>(one))
    return false;
  for (unsigned i = 0; i < one->getNumOperands(); i++)
    if (!isSamePlace(one->getOperand(i), other->getOperand(i)))
      return false;
  return true;
}

int operandOf(StringRef word) {
  int number;
  if (!word.consume_front("$"))
    return -1;
  if (word.consume_front("{")) {
    auto [name, modifier] = word.split('}').first.split(':');
    // The size of a register; others negate a number, or make an address of it.
    if (modifier.size() != 1 || !StringRef("bwkq").contains(modifier))
      return -1;
    word = name;
  }
  return word.getAsInteger(10, number) ? -1 : number;
}

} // namespace rsan
