// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inline assembly that is one access of memory, as an operation of the language: lock xadd and its
// relatives, and mov.

#include "Old.h"
#include "Template.h"

#include "llvm/IR/IRBuilder.h"

using namespace llvm;

namespace rsan {
namespace {

constexpr AtomicOrdering seqCst = AtomicOrdering::SequentiallyConsistent;

enum class Kind { None, Load, Store, Exchange, FetchAdd, Modify, Compare };

/// The operation that a template is, with the operands that take part.
struct Operation {
  Kind kind = Kind::None;
  AtomicRMWInst::BinOp modify = AtomicRMWInst::BAD_BINOP;
  unsigned bits = 0;
  Value *pointer = nullptr;
  Value *value = nullptr, *expected = nullptr; // that go in; null: one, where it counts
  int old = -1, zero = -1;                     // results: the value found; the zero flag
  Value *zeroAt = nullptr;                     // or where that goes in memory
};

struct Name {
  Kind kind;
  AtomicRMWInst::BinOp modify;
  unsigned bits; // 0: it does not say
};

/// The name without a suffix of the size.
bool isNamed(StringRef name, StringRef base, unsigned *bits) {
  if (!name.consume_front(base) || name.size() > 1)
    return false;
  *bits =
      StringSwitch<unsigned>(name).Case("b", 8).Case("w", 16).Case("l", 32).Case("q", 64).Default(
          0);
  return name.empty() || *bits;
}

Name readName(StringRef name) {
  static const struct {
    const char *name;
    Kind kind;
    AtomicRMWInst::BinOp modify;
  } known[] = {{"mov", Kind::Store, AtomicRMWInst::BAD_BINOP},
               {"xchg", Kind::Exchange, AtomicRMWInst::Xchg},
               {"xadd", Kind::FetchAdd, AtomicRMWInst::Add},
               {"cmpxchg", Kind::Compare, AtomicRMWInst::BAD_BINOP},
               {"add", Kind::Modify, AtomicRMWInst::Add},
               {"inc", Kind::Modify, AtomicRMWInst::Add},
               {"sub", Kind::Modify, AtomicRMWInst::Sub},
               {"dec", Kind::Modify, AtomicRMWInst::Sub},
               {"and", Kind::Modify, AtomicRMWInst::And},
               {"or", Kind::Modify, AtomicRMWInst::Or},
               {"xor", Kind::Modify, AtomicRMWInst::Xor}};
  unsigned bits;
  for (const auto &one : known)
    if (isNamed(name, one.name, &bits))
      return {one.kind, one.modify, bits};
  return {Kind::None, AtomicRMWInst::BAD_BINOP, 0};
}

class Reader {
public:
  Reader(const CallInst &call, const Template &read) : call_(call), read_(read) {}
  Operation operation();

private:
  const Operand *operand(StringRef word) {
    int number = operandOf(word);
    if (number < 0 || (size_t)number >= read_.operands.size())
      return nullptr;
    used_.push_back(number);
    return &read_.operands[number];
  }
  bool readWords(const Statement &statement);
  bool readValue(StringRef word);
  bool readAccumulator();
  bool readFlag();
  bool isComplete() const;
  bool fits(const Value *value) const;
  bool resultsFit() const;

  const CallInst &call_;
  const Template &read_;
  Operation found_;
  SmallVector<int, 6> used_;
};

unsigned widthOf(const Type *type) {
  return type->isPointerTy() ? 64 : type->isIntegerTy() ? type->getIntegerBitWidth() : 0;
}

bool Reader::fits(const Value *value) const {
  return isa<ConstantInt>(value) || widthOf(value->getType()) == found_.bits;
}

Type *resultType(const CallInst &call, int number) {
  auto *all = dyn_cast<StructType>(call.getType());
  return all ? all->getElementType((unsigned)number) : call.getType();
}

/// A register's value or a number.
bool Reader::readValue(StringRef word) {
  uint64_t number;
  StringRef digits = word;
  if (digits.consume_front("$$") && !digits.getAsInteger(0, number)) {
    found_.value = ConstantInt::get(Type::getInt64Ty(call_.getContext()), number);
    return true;
  }
  const Operand *operand = this->operand(word);
  if (!operand || operand->pointer)
    return false;
  found_.value = operand->in;
  if (found_.kind == Kind::Exchange || found_.kind == Kind::FetchAdd) {
    found_.old = operand->output;
    return operand->output >= 0 && operand->in;
  }
  return operand->output < 0 && operand->in;
}

/// Loads have the memory first, stores last; xchg either way.
bool Reader::readWords(const Statement &statement) {
  ArrayRef<StringRef> words = statement.words;
  const bool alone = statement.name[0] == 'i' || statement.name[0] == 'd'; // inc, dec
  if (words.size() != (alone ? 1 : 2))
    return false;
  const Operand *last = operand(words.back());
  const Operand *first = alone ? nullptr : operand(words[0]);
  const bool memoryFirst = first && first->pointer;
  const Operand *memory = memoryFirst ? first : last;
  if (!memory || !memory->pointer || (memoryFirst && last && last->pointer))
    return false;
  found_.pointer = memory->pointer;
  if (memoryFirst && found_.kind == Kind::Store) { // mov memory, register
    found_.kind = Kind::Load;
    found_.old = last ? last->output : -1;
    return found_.old >= 0 && !last->in;
  }
  if (memoryFirst && found_.kind != Kind::Exchange)
    return false;
  if (alone) {
    found_.value = ConstantInt::get(Type::getInt64Ty(call_.getContext()), 1);
    return true;
  }
  return readValue(words[memoryFirst ? 1 : 0]);
}

/// What cmpxchg compares with, and where it leaves what it found.
bool Reader::readAccumulator() {
  for (size_t i = 0; i < read_.operands.size(); i++) {
    const Operand &operand = read_.operands[i];
    if (operand.pointer || (!operand.accumulator && !operand.tied))
      continue;
    if (operand.accumulator && operand.output >= 0)
      found_.old = operand.output;
    if (operand.accumulator && operand.in)
      found_.expected = operand.in;
    if (operand.accumulator)
      used_.push_back((int)i);
  }
  return found_.expected;
}

/// "sete %1" as the last statement, or a result that is the flag.
bool Reader::readFlag() {
  for (size_t i = 0; i < read_.operands.size(); i++)
    if (read_.operands[i].zeroFlag) {
      if (found_.zero >= 0)
        return false;
      found_.zero = read_.operands[i].output;
      used_.push_back((int)i);
    }
  if (read_.statements.size() == 1)
    return true;
  const Statement &last = read_.statements.back();
  if (found_.zero >= 0 || last.words.size() != 1 || (last.name != "sete" && last.name != "setz"))
    return false;
  const Operand *flag = operand(last.words[0]);
  if (flag && flag->pointer && flag->output < 0 && !flag->input) {
    found_.zeroAt = flag->pointer;
    return true;
  }
  found_.zero = flag && !flag->pointer ? flag->output : -1;
  if (found_.zero == found_.old) // of cmpxchg, whose register it overwrites
    found_.old = -1;
  return found_.zero >= 0 && widthOf(resultType(call_, found_.zero)) == 8;
}

/// Has every operand its part in the operation?
bool Reader::isComplete() const {
  for (size_t i = 0; i < read_.operands.size(); i++) {
    const Operand &operand = read_.operands[i];
    if (!is_contained(used_, (int)i) && !operand.tied &&
        (!operand.pointer || !isSamePlace(operand.pointer, found_.pointer)))
      return false;
  }
  return true;
}

bool Reader::resultsFit() const {
  if (found_.old >= 0 && widthOf(resultType(call_, found_.old)) != found_.bits)
    return false;
  return found_.zero < 0 || resultType(call_, found_.zero)->isIntegerTy();
}

Operation Reader::operation() {
  if (read_.statements.empty() || read_.statements.size() > 2)
    return {};
  const Statement &statement = read_.statements[0];
  Name name = readName(statement.name);
  found_.kind = name.kind;
  found_.modify = name.modify;
  const bool locks =
      name.kind == Kind::FetchAdd || name.kind == Kind::Modify || name.kind == Kind::Compare;
  if (name.kind == Kind::None || (locks && !statement.locked) ||
      (name.kind == Kind::Store && statement.locked) || !readWords(statement))
    return {};
  const bool asks = found_.kind == Kind::Compare || found_.kind == Kind::Modify;
  if ((found_.kind == Kind::Compare && !readAccumulator()) || !readFlag() ||
      ((found_.zero >= 0 || found_.zeroAt) && !asks))
    return {};
  found_.bits = name.bits;
  if (!found_.bits)
    found_.bits = found_.value      ? widthOf(found_.value->getType())
                  : found_.old >= 0 ? widthOf(resultType(call_, found_.old))
                                    : 0;
  const bool inferred = name.bits || !found_.value || !isa<ConstantInt>(found_.value);
  const unsigned bits = found_.bits;
  if (!inferred || (bits != 8 && bits != 16 && bits != 32 && bits != 64) || !isComplete() ||
      !resultsFit() || (found_.value && !fits(found_.value)) ||
      (found_.expected && !fits(found_.expected)))
    return {};
  return found_;
}

Operation operationOf(const CallInst &call) {
  auto *assembly = dyn_cast<InlineAsm>(call.getCalledOperand());
  if (!assembly || !assembly->hasSideEffects())
    return {};
  std::optional<Template> read = readTemplate(call);
  return read ? Reader(call, *read).operation() : Operation();
}

Value *asNumber(IRBuilder<> &builder, Value *value, Type *type) {
  if (value->getType()->isPointerTy())
    return builder.CreatePtrToInt(value, type);
  return builder.CreateSExtOrTrunc(value, type); // a number may be wider
}

/// What memory had before, and whether the zero flag is set.
struct Results {
  Value *old, *zero;
};

Results makeCompare(IRBuilder<> &builder, const Operation &operation, Type *type, Align align) {
  auto *compare =
      builder.CreateAtomicCmpXchg(operation.pointer, asNumber(builder, operation.expected, type),
                                  asNumber(builder, operation.value, type), align, seqCst, seqCst);
  compare->setVolatile(true);
  return {builder.CreateExtractValue(compare, 0), builder.CreateExtractValue(compare, 1)};
}

Results makeModify(IRBuilder<> &builder, const Operation &operation, Type *type, Align align) {
  Value *value = asNumber(builder, operation.value, type);
  auto *modify = builder.CreateAtomicRMW(operation.modify, operation.pointer, value, align, seqCst);
  modify->setVolatile(true);
  if (operation.zero < 0 && !operation.zeroAt)
    return {modify, nullptr};
  static const auto after = [](IRBuilder<> &b, AtomicRMWInst::BinOp how, Value *x, Value *y) {
    return how == AtomicRMWInst::Add   ? b.CreateAdd(x, y)
           : how == AtomicRMWInst::Sub ? b.CreateSub(x, y)
           : how == AtomicRMWInst::And ? b.CreateAnd(x, y)
           : how == AtomicRMWInst::Or  ? b.CreateOr(x, y)
                                       : b.CreateXor(x, y);
  };
  return {modify, builder.CreateIsNull(after(builder, operation.modify, modify, value))};
}

Results make(IRBuilder<> &builder, const Operation &operation) {
  Type *type = builder.getIntNTy(operation.bits);
  const Align align(operation.bits / 8);
  if (operation.kind == Kind::Load) {
    LoadInst *load = builder.CreateAlignedLoad(type, operation.pointer, align, true);
    load->setAtomic(AtomicOrdering::Acquire);
    return {load, nullptr};
  }
  if (operation.kind == Kind::Store) {
    builder
        .CreateAlignedStore(asNumber(builder, operation.value, type), operation.pointer, align,
                            true)
        ->setAtomic(AtomicOrdering::Release);
    return {nullptr, nullptr};
  }
  builder.CreateFence(seqCst);
  Results results = operation.kind == Kind::Compare ? makeCompare(builder, operation, type, align)
                                                    : makeModify(builder, operation, type, align);
  builder.CreateFence(seqCst);
  return results;
}

/// Puts a value among the results of the call.
Value *put(IRBuilder<> &builder, const CallInst &call, Value *all, int number, Value *value) {
  Type *type = resultType(call, number);
  value = type->isPointerTy()                ? builder.CreateIntToPtr(value, type)
          : value->getType()->isIntegerTy(1) ? builder.CreateZExt(value, type)
                                             : value;
  return call.getType()->isStructTy() ? builder.CreateInsertValue(all, value, (unsigned)number)
                                      : value;
}

} // namespace

StringRef nameOfOperation(const CallInst &call) {
  switch (operationOf(call).kind) {
  case Kind::None:
    return "";
  case Kind::Load:
    return "a load";
  case Kind::Store:
    return "a store";
  case Kind::Exchange:
    return "an exchange";
  case Kind::FetchAdd:
    return "a fetch-and-add";
  case Kind::Modify:
    return "a locked read-modify-write";
  case Kind::Compare:
    return "a compare-exchange";
  }
  return "";
}

bool replaceOperation(CallInst &call) {
  const Operation operation = operationOf(call);
  if (operation.kind == Kind::None)
    return false;
  IRBuilder<> builder(&call);
  Results results = make(builder, operation);
  Value *all = call.getType()->isVoidTy() ? nullptr : PoisonValue::get(call.getType());
  if (operation.old >= 0)
    all = put(builder, call, all, operation.old, results.old);
  if (operation.zero >= 0)
    all = put(builder, call, all, operation.zero, results.zero);
  if (operation.zeroAt)
    builder.CreateStore(builder.CreateZExt(results.zero, builder.getInt8Ty()), operation.zeroAt);
  if (all)
    call.replaceAllUsesWith(all);
  call.eraseFromParent();
  return true;
}

} // namespace rsan
