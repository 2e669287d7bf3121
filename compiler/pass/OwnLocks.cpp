// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Locks of the project's own, which a file of models names (docs/guide/MODELS.md):
//
//   sync FUNCTION -> ACTION of argument N [plus BYTES] [if zero]
//   sync FUNCTION -> ACTION of NAME [if zero]
//
// The function's body is put between ThreadSanitizer's annotations of a mutex. So the runtime sees
// an operation of a mutex in place of the accesses in the body. The step precedes all others, so
// that the function is not taken for a wrapper. NAME is a variable that all modules share.
// Lines without `sync` are the runtime's.

#include "Bracket.h"
#include "Pass.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/LineIterator.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

static cl::opt<std::string> modelsFile("rsan-models", cl::value_desc("file"),
                                       cl::desc("RSan: locks of the project's own"));

namespace rsan {
namespace {

/// Flags of sanitizer/tsan_interface.h.
enum Flag : unsigned { ReadLock = 1u << 3, TryLock = 1u << 4, TryLockFailed = 1u << 5 };

struct OwnLock {
  StringRef function;
  bool unlocks;
  unsigned flags, argument, offset;
  StringRef name;     // in place of an argument
  bool zeroIsSuccess; // of a trylock
};

struct Action {
  StringRef word;
  bool unlocks;
  unsigned flags;
};

const Action actions[] = {
    {"lock", false, 0},
    {"unlock", true, 0},
    {"trylock", false, TryLock},
    {"read-lock", false, ReadLock},
    {"read-unlock", true, ReadLock},
    {"read-trylock", false, TryLock | ReadLock},
};

const char form[] =
    "write sync FUNCTION -> ACTION of argument N [plus BYTES] [if zero], or of NAME; "
    "ACTION is lock, unlock, trylock, read-lock, read-unlock or read-trylock";

/// Removes `word` from the beginning of the words. Returns false if another word is there.
bool follows(ArrayRef<StringRef> &words, StringRef word) {
  if (words.empty() || words.front() != word)
    return false;
  words = words.drop_front();
  return true;
}

bool readNumber(ArrayRef<StringRef> &words, unsigned most, unsigned &number) {
  if (words.empty() || words.front().getAsInteger(10, number) || !number || number > most)
    return false;
  words = words.drop_front();
  return true;
}

/// Reads `argument N [plus BYTES]` or a name.
bool readObject(ArrayRef<StringRef> &words, OwnLock &lock) {
  if (words.empty())
    return false;
  if (!follows(words, "argument")) {
    lock.name = words.front();
    words = words.drop_front();
    return true;
  }
  return readNumber(words, 16, lock.argument) &&
         (!follows(words, "plus") || readNumber(words, 65536, lock.offset));
}

/// Reads the words behind `sync`. Returns false if they have another form.
bool readLock(ArrayRef<StringRef> words, OwnLock &lock) {
  if (words.size() < 4)
    return false;
  lock = {words[0], false, 0, 0, 0, "", false};
  words = words.drop_front();
  if (!follows(words, "->"))
    return false;
  const Action *action = find_if(actions, [&](const Action &a) { return a.word == words[0]; });
  if (action == std::end(actions))
    return false;
  words = words.drop_front();
  lock.unlocks = action->unlocks;
  lock.flags = action->flags;
  if (!follows(words, "of") || !readObject(words, lock))
    return false;
  if (follows(words, "if"))
    lock.zeroIsSuccess = lock.flags & TryLock && follows(words, "zero");
  return words.empty();
}

/// Reads the file's `sync` lines. The names in the result point into `file`.
SmallVector<OwnLock, 8> readFile(LLVMContext &context, std::unique_ptr<MemoryBuffer> &file) {
  SmallVector<OwnLock, 8> locks;
  auto read = MemoryBuffer::getFile(modelsFile, true);
  if (!read) {
    context.emitError("-rsan-models=" + modelsFile + ": " + read.getError().message());
    return locks;
  }
  file = std::move(*read);
  for (line_iterator line(*file, true, '#'); !line.is_at_end(); ++line) {
    SmallVector<StringRef, 12> words;
    SplitString(line->split('#').first, words);
    if (words.empty() || words[0] != "sync")
      continue;
    locks.emplace_back();
    if (readLock(ArrayRef<StringRef>(words).drop_front(), locks.back()))
      continue;
    locks.pop_back();
    context.emitError(modelsFile + ":" + Twine(line.line_number()) + ": " + form);
  }
  return locks;
}

/// Returns the name without template arguments.
std::string withoutArguments(StringRef name) {
  std::string kept;
  unsigned depth = 0;
  for (char c : name) {
    depth += c == '<';
    if (!depth)
      kept += c;
    depth -= c == '>' && depth;
  }
  return kept;
}

/// The function's name in the source, with its classes and name spaces; "" if it is its symbol.
std::string nameOf(const Function &f) {
  ItaniumPartialDemangler demangler;
  const std::string mangled = f.getName().str();
  if (!f.getName().starts_with("_Z") || demangler.partialDemangle(mangled.c_str()))
    return "";
  char *name = demangler.getFunctionName(nullptr, nullptr);
  std::string result = withoutArguments(name ? name : "");
  std::free(name);
  return result;
}

const OwnLock *findLock(const Function &f, ArrayRef<OwnLock> locks) {
  const std::string name = nameOf(f);
  const auto *found = find_if(
      locks, [&](const OwnLock &l) { return l.function == f.getName() || l.function == name; });
  return found == locks.end() ? nullptr : found;
}

/// The lock's address, or where `plus` counts from; null: the argument is no pointer. Where a
/// result is returned by a pointer, that argument is not counted.
Value *objectOf(Function &f, const OwnLock &lock) {
  if (!lock.name.empty()) {
    Type *type = Type::getInt64Ty(f.getContext());
    Constant *object = f.getParent()->getOrInsertGlobal(("__rsan_lock_" + lock.name).str(), type);
    auto *variable = cast<GlobalVariable>(object);
    variable->setLinkage(GlobalValue::WeakAnyLinkage);
    variable->setInitializer(Constant::getNullValue(type));
    return variable;
  }
  const unsigned index = lock.argument - 1 + (f.hasStructRetAttr() ? 1 : 0);
  Argument *argument = index < f.arg_size() ? f.getArg(index) : nullptr;
  return argument && argument->getType()->isPointerTy() ? argument : nullptr;
}

/// The annotations of one function.
class Annotations {
public:
  Annotations(Function &f, const OwnLock &lock, Value *object)
      : f(f), lock(lock), address(object) {}

  void put() {
    bracket(f, [&](IRBuilderBase &b) { begin(b); }, [&](IRBuilderBase &b) { end(b); });
  }

private:
  void begin(IRBuilderBase &b) {
    if (lock.offset)
      address = b.CreateConstGEP1_32(b.getInt8Ty(), address, lock.offset);
    if (lock.unlocks)
      callRuntime(b, "__tsan_mutex_pre_unlock", b.getInt32Ty(), {address, b.getInt32(lock.flags)});
    else
      callRuntime(b, "__tsan_mutex_pre_lock", b.getVoidTy(), {address, b.getInt32(lock.flags)});
  }

  void end(IRBuilderBase &b) {
    if (lock.unlocks)
      callRuntime(b, "__tsan_mutex_post_unlock", b.getVoidTy(), {address, b.getInt32(lock.flags)});
    else
      callRuntime(b, "__tsan_mutex_post_lock", b.getVoidTy(),
                  {address, flagsAtEnd(b), b.getInt32(0)});
  }

  /// An exception leaves a lock untaken, and so does a trylock whose result says so.
  Value *flagsAtEnd(IRBuilderBase &b) {
    auto *leaves = dyn_cast<ReturnInst>(b.GetInsertBlock()->getTerminator());
    Value *taken = b.getInt32(lock.flags), *failed = b.getInt32(lock.flags | TryLockFailed);
    if (!leaves)
      return failed;
    if (!(lock.flags & TryLock))
      return taken;
    Value *result = leaves->getReturnValue();
    Value *isZero = b.CreateICmpEQ(result, Constant::getNullValue(result->getType()));
    return lock.zeroIsSuccess ? b.CreateSelect(isZero, taken, failed)
                              : b.CreateSelect(isZero, failed, taken);
  }

  Function &f;
  const OwnLock &lock;
  Value *address;
};

bool annotate(Function &f, const OwnLock &lock) {
  Value *object = objectOf(f, lock);
  Type *result = f.getReturnType();
  if (!object)
    f.getContext().emitError(modelsFile + ": argument " + Twine(lock.argument) + " of " +
                             lock.function + " is no pointer: name the argument that is the lock");
  else if (lock.flags & TryLock && !result->isIntOrPtrTy())
    f.getContext().emitError(modelsFile + ": " + lock.function +
                             " returns neither a number nor a pointer, so it is no trylock");
  else
    Annotations(f, lock, object).put();
  return true;
}

} // namespace

bool annotateOwnLocks(Module &m) {
  std::unique_ptr<MemoryBuffer> file;
  bool changed = false;
  if (modelsFile.empty())
    return changed;
  const SmallVector<OwnLock, 8> locks = readFile(m.getContext(), file);
  for (Function &f : m)
    if (const OwnLock *lock = analysed(f) ? findLock(f, locks) : nullptr)
      changed |= annotate(f, *lock);
  return changed;
}

} // namespace rsan
