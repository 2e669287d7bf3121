// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads whose value a compare-exchange checks again: v = load(x); compare_exchange(x, &v, v + 1).
// An older value does nothing there but make the compare-exchange fail, which a report of such a
// load says.
//
// Every use of the value has to be one of
//   what the compare-exchange at the same object expects
//   what that one would write, computed from the value without anything that others could notice
//   one behind that compare-exchange's success, where the object was seen to hold the value
//   a comparison with a constant: a guard. The runtime knows the value that was read and the older
//   one, and says nothing if the comparison is not the same for both.
// A value that is stored, returned, dereferenced or passed to a function before it has been checked
// has another use. What is looked at is a simplified copy of the function with the wrappers in it
// inlined, so that the level of optimisation does not matter.
//
// An access is known by its place in the source, as in Fields.cpp. All loads of a place must be
// checked again at one other place.

#include "Pass.h"
#include "Port.h"
#include "Retries.h"
#include "Spin.h"
#include "Wrapper.h"

#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/Path.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

#include <map>
#include <optional>
#include <set>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace rsan {
namespace {

const unsigned maxInstructions = 20000; // of a function with its wrappers
const unsigned maxRounds = 5;           // of wrappers in wrappers
const unsigned maxUses = 1000;          // of a value
const unsigned maxHelper = 60;          // instructions of another function that is inlined as well

// Beside the relation: which outcome leads to the compare-exchange, if only one does.
const uint64_t guardMustHold = 0x100, guardMustFail = 0x200;

struct Guard {
  uint64_t relation, mask, value;
  auto tuple() const { return std::tie(relation, mask, value); }
  bool operator==(const Guard &other) const { return tuple() == other.tuple(); }
};

struct Recheck {
  unsigned line = 0, column = 0; // of the compare-exchange, in the file of the load
  SmallVector<Guard, 2> guards;
  bool operator==(const Recheck &other) const {
    return line == other.line && column == other.column && guards == other.guards;
  }
};

/// The properties that all accesses of a place share.
struct Known {
  std::optional<Recheck> recheck;
  bool retried = false; // Retries.cpp
  bool shared = false;  // another module may have the same place, and another use of the value
};

/// The place of an access of the copy: what was inlined there are wrappers.
const DILocation *placeOf(const Instruction &access) {
  const DILocation *place = access.getDebugLoc();
  while (place && place->getInlinedAt())
    place = place->getInlinedAt();
  return place && place->getLine() ? place : nullptr;
}

/// A load of the copy, and what becomes of its value.
class LoadUses {
public:
  LoadUses(LoadInst &load, ArrayRef<AtomicCmpXchgInst *> exchanges, DominatorTree &dominators)
      : load(load), dominators(dominators) {
    for (AtomicCmpXchgInst *cas : exchanges)
      if (cas->getPointerOperand() == load.getPointerOperand() &&
          cas->getCompareOperand()->getType() == load.getType())
        addCheck(cas);
  }

  std::optional<Recheck> run() {
    if (checks.empty() || !takeHolder(&load) || !checkedAt)
      return std::nullopt;
    result.line = checkedAt->getLine();
    result.column = checkedAt->getColumn();
    return result;
  }

private:
  LoadInst &load;
  DominatorTree &dominators;
  SmallVector<AtomicCmpXchgInst *, 4> checks; // at the same object
  SmallVector<std::pair<const AtomicCmpXchgInst *, BasicBlockEdge>, 4> successes;
  SmallPtrSet<const Value *, 8> holders;                     // that may be the value
  std::set<std::pair<const Value *, const Value *>> derived; // with the holders
  Recheck result;
  const DILocation *checkedAt = nullptr;
  unsigned uses = 0;

  void addCheck(AtomicCmpXchgInst *cas) {
    checks.push_back(cas);
    for (const BasicBlock &block : *cas->getFunction()) {
      auto *branch = dyn_cast<BranchInst>(block.getTerminator());
      bool when = true;
      if (branch && branch->isConditional() && branch->getSuccessor(0) != branch->getSuccessor(1) &&
          saysSuccess(branch->getCondition(), *cas, when))
        successes.push_back({cas, {&block, branch->getSuccessor(when ? 0 : 1)}});
    }
  }

  bool expects(const AtomicCmpXchgInst &cas, const Value *holder) const {
    return withoutCasts(cas.getCompareOperand()) == holder;
  }

  /// Is what `use` uses known to be what the object held when it was checked?
  bool isConfirmed(const Use &use, const Value *holder) const {
    auto *select = dyn_cast<SelectInst>(use.getUser());
    for (const AtomicCmpXchgInst *cas : checks) {
      bool when = true;
      if (select && expects(*cas, holder) && saysSuccess(select->getCondition(), *cas, when) &&
          use.getOperandNo() == (when ? 1 : 2))
        return true;
    }
    return any_of(successes, [&](const auto &success) {
      return expects(*success.first, holder) && dominators.dominates(success.second, use);
    });
  }

  /// Takes the uses of a value that is the load's, or may be: a phi's.
  bool takeHolder(Value *holder) {
    return !holders.insert(holder).second || takeUses(holder, holder, true);
  }

  bool takeUses(Value *v, Value *holder, bool exact) {
    for (const Use &use : v->uses())
      if (++uses > maxUses || (!isConfirmed(use, holder) && !take(use, holder, exact)))
        return false;
    return true;
  }

  /// The value, or (not `exact`) something computed from it, is used. What a holder is before the
  /// address of the object is known anew was another object's.
  bool take(const Use &use, Value *holder, bool exact) {
    auto *user = cast<Instruction>(use.getUser());
    if (auto *cas = dyn_cast<AtomicCmpXchgInst>(user))
      return takeExchange(*cas, use, holder);
    if (auto *phi = dyn_cast<PHINode>(user)) {
      auto *address = dyn_cast<Instruction>(load.getPointerOperand());
      return exact && (!address || dominators.dominates(address, phi)) && takeHolder(phi);
    }
    for (const AtomicCmpXchgInst *cas : checks) {
      bool when = true;
      if (expects(*cas, holder) && isa<ICmpInst>(user) && saysSuccess(user, *cas, when))
        return true;
    }
    if (addGuard(*user, holder))
      return true;
    if (user->mayReadOrWriteMemory() || user->isTerminator() || user->getType()->isVoidTy() ||
        !isSafeToSpeculativelyExecute(user))
      return false;
    bool same = exact && withoutCasts(user) == holder;
    return !derived.insert({user, holder}).second || takeUses(user, holder, same);
  }

  bool takeExchange(AtomicCmpXchgInst &cas, const Use &use, const Value *holder) {
    if (!is_contained(checks, &cas) || !expects(cas, holder) || use.getOperandNo() == 0)
      return false;
    const DILocation *place = placeOf(cas), *here = placeOf(load);
    if (!place || place->getFile() != here->getFile() ||
        (checkedAt && (place->getLine() != checkedAt->getLine() ||
                       place->getColumn() != checkedAt->getColumn())))
      return false;
    checkedAt = place;
    return true;
  }

  bool leadsToCheck(const BasicBlock *block) const {
    return any_of(checks, [&](const AtomicCmpXchgInst *cas) {
      return isPotentiallyReachable(block, cas->getParent(), nullptr, &dominators);
    });
  }

  /// Which outcome of the comparison leads to the compare-exchange, if only one does? By the other
  /// outcome the thread leaves, and nothing checks the value again.
  uint64_t wayToCheck(const Instruction &comparison) const {
    uint64_t way = 0;
    for (const User *user : comparison.users()) {
      auto *branch = dyn_cast<BranchInst>(user);
      if (!branch)
        continue;
      if (!leadsToCheck(branch->getSuccessor(0)))
        way |= guardMustFail;
      if (!leadsToCheck(branch->getSuccessor(1)))
        way |= guardMustHold;
    }
    return way;
  }

  /// What depends on the comparison alone is then the same for both values.
  bool addGuard(Instruction &comparison, Value *holder) {
    if (!isa<ICmpInst>(comparison) && !comparison.getType()->isIntegerTy(1))
      return false;
    unsigned bits = load.getModule()->getDataLayout().getTypeSizeInBits(load.getType());
    Matcher matcher(holder, bits, &comparison, [](Value *v) { return isa<Constant>(v); });
    if (!matcher.branch(&comparison, true))
      return false;
    auto *mask = dyn_cast<ConstantInt>(matcher.result.mask);
    auto *value = dyn_cast<ConstantInt>(matcher.result.value);
    if (!mask || !value)
      return false;
    const uint64_t how =
        matcher.result.relation | wayToCheck(comparison); // as rsan_recheck.cpp reads
    Guard guard{how, mask->getZExtValue(), value->getZExtValue()};
    if (!is_contained(result.guards, guard))
      result.guards.push_back(guard);
    return true;
  }
};

/// A small function without atomic accesses, such as `get_tag(value)' or a closure.
bool isHelper(const Function &f) {
  return !f.isDeclaration() && !f.isInterposable() && !f.isPresplitCoroutine() &&
         f.getInstructionCount() <= maxHelper && !isAnnotated(f, "rsan_ignore") &&
         none_of(instructions(f), [&](const Instruction &i) {
           auto *call = dyn_cast<CallBase>(&i);
           return i.isAtomic() ||
                  (call && (call->isInlineAsm() || call->getCalledFunction() == &f));
         });
}

/// A copy of a function, for analysis alone: its wrappers and what else is small are inlined, and
/// it is simplified.
class Inlined {
public:
  Inlined(Function &f, Wrappers &wrappers, FunctionAnalysisManager &fam) : fam(fam) {
    ValueToValueMapTy map;
    function = CloneFunction(&f, map);
    function->setName("rsan.copy");
    function->setLinkage(GlobalValue::InternalLinkage);
    function->setComdat(nullptr);
    function->removeFnAttr(Attribute::OptimizeNone);
    function->removeFnAttr(Attribute::NoInline);
    for (unsigned round = 0; round < maxRounds && inlineOnce(wrappers); round++)
      ;
    simplify(*function, fam);
  }
  ~Inlined() {
    fam.clear(*function, function->getName());
    function->eraseFromParent();
  }
  Inlined(const Inlined &) = delete;

  Function *function;

private:
  FunctionAnalysisManager &fam;

  bool inlineOnce(Wrappers &wrappers) {
    SmallVector<CallBase *, 8> calls;
    for (Instruction &i : instructions(*function)) {
      auto *call = dyn_cast<CallBase>(&i);
      Function *callee = call ? call->getCalledFunction() : nullptr;
      if (callee && !callee->isDeclaration() && call->getDebugLoc() &&
          (wrappers.onlyPasses(*callee) || isHelper(*callee)))
        calls.push_back(call);
    }
    bool changed = false;
    for (CallBase *call : calls) {
      InlineFunctionInfo info;
      if (function->getInstructionCount() <= maxInstructions)
        changed |= InlineFunction(*call, info, /*MergeAttributes=*/true).isSuccess();
    }
    return changed;
  }
};

/// Might a load of it be checked again?
bool isOfInterest(Function &f, Wrappers &wrappers) {
  if (!analysed(f) || !f.getSubprogram() || isAnnotated(f, "rsan_wrapper") || wrappers.isFound(f) ||
      f.isPresplitCoroutine() || f.getInstructionCount() > maxInstructions ||
      any_of(f, [](const BasicBlock &block) { return block.hasAddressTaken(); }))
    return false;
  bool loads = false, exchanges = false;
  for (const Instruction &i : instructions(f)) {
    loads |= isa<LoadInst>(i) && i.isAtomic();
    exchanges |= isa<AtomicCmpXchgInst>(i);
    auto *call = dyn_cast<CallBase>(&i);
    Function *callee = call ? call->getCalledFunction() : nullptr;
    if (callee && !callee->isDeclaration() && wrappers.isFound(*callee))
      for (const Instruction *access : wrappers.accesses(*callee)) {
        loads |= !isa<AtomicCmpXchgInst>(access); // what it calls may be either
        exchanges |= !isa<LoadInst>(access);
      }
  }
  return loads && exchanges;
}

using Rechecks = std::map<uint64_t, Known>; // by place; what all its accesses have in common

std::string pathOf(StringRef folder, StringRef name) {
  SmallString<128> path(folder);
  sys::path::append(path, name);
  return sys::path::is_absolute(name) ? name.str() : path.str().str();
}

/// Is the place in a header?
bool isShared(const DILocation &place) {
  const DICompileUnit *unit = place.getScope()->getSubprogram()->getUnit();
  return !unit || pathOf(unit->getDirectory(), unit->getFilename()) !=
                      pathOf(place.getDirectory(), place.getFilename());
}

void addKnown(const Instruction &access, Known known, Rechecks &rechecks) {
  known.shared = isShared(*placeOf(access));
  auto [at, isNew] = rechecks.emplace(keyOf(*placeOf(access)), known);
  if (isNew)
    return;
  if (!(at->second.recheck == known.recheck))
    at->second.recheck = std::nullopt;
  at->second.retried &= known.retried;
}

void addRechecks(const Inlined &copy, FunctionAnalysisManager &fam, Rechecks &rechecks) {
  auto &dominators = fam.getResult<DominatorTreeAnalysis>(*copy.function);
  SmallVector<AtomicCmpXchgInst *, 8> exchanges;
  SmallVector<LoadInst *, 16> loads;
  for (Instruction &i : instructions(*copy.function)) {
    if (auto *cas = dyn_cast<AtomicCmpXchgInst>(&i))
      exchanges.push_back(cas);
    auto *load = dyn_cast<LoadInst>(&i);
    if (load && load->isAtomic() && placeOf(*load))
      loads.push_back(load);
  }
  Retried retried = findRetried(*copy.function, dominators);
  for (LoadInst *load : loads) {
    Type *type = load->getType();
    bool small = (type->isIntegerTy() || type->isPointerTy()) &&
                 copy.function->getDataLayout().getTypeSizeInBits(type) <= 64;
    Known known;
    known.retried = retried.contains(load);
    if (small)
      known.recheck = LoadUses(*load, exchanges, dominators).run();
    addKnown(*load, known, rechecks);
  }
  for (AtomicCmpXchgInst *cas : exchanges)
    if (placeOf(*cas)) {
      Known known;
      known.retried = retried.contains(cas);
      addKnown(*cas, known, rechecks);
    }
}

GlobalVariable *makeTable(Module &m, Type *element, ArrayRef<Constant *> rows, const char *name) {
  Constant *table = ConstantArray::get(ArrayType::get(element, rows.size()), rows);
  return new GlobalVariable(m, table->getType(), true, GlobalValue::PrivateLinkage, table, name);
}

Constant *makeGuards(Module &m, ArrayRef<Guard> guards) {
  Type *word = Type::getInt64Ty(m.getContext());
  StructType *type = StructType::get(m.getContext(), {word, word, word});
  if (guards.empty())
    return ConstantPointerNull::get(PointerType::getUnqual(m.getContext()));
  SmallVector<Constant *, 4> rows;
  for (const Guard &guard : guards)
    rows.push_back(ConstantStruct::get(type, {ConstantInt::get(word, guard.relation),
                                              ConstantInt::get(word, guard.mask),
                                              ConstantInt::get(word, guard.value)}));
  return makeTable(m, type, rows, "rsan.guards");
}

bool isTold(const Known &known) {
  return known.recheck || known.retried || known.shared;
}

void emit(Module &m, const Rechecks &rechecks) {
  LLVMContext &context = m.getContext();
  Type *word = Type::getInt64Ty(context), *half = Type::getInt32Ty(context);
  PointerType *pointer = PointerType::getUnqual(context);
  StructType *rowType = StructType::get(context, {word, half, half, half, half, pointer});
  auto number = [&](uint64_t n) { return ConstantInt::get(half, n); };
  SmallVector<Constant *, 16> rows;
  for (const auto &[key, known] : rechecks) {
    if (!isTold(known))
      continue;
    const Recheck recheck = known.recheck.value_or(Recheck());
    rows.push_back(ConstantStruct::get(rowType, {ConstantInt::get(word, key), number(recheck.line),
                                                 number(recheck.column), number(known.retried),
                                                 number(recheck.guards.size()),
                                                 makeGuards(m, recheck.guards)}));
  }
  GlobalVariable *table = makeTable(m, rowType, rows, "rsan.rechecks");
  auto [constructor, note] =
      createSanitizerCtorAndInitFunctions(m, "rsan.rechecks_ctor", "__rsan_note_rechecks",
                                          {pointer, half}, {table, number(rows.size())});
  (void)note;
  appendToGlobalCtors(m, constructor, 1); // ThreadSanitizer's, which starts the runtime, has 0
}

} // namespace

bool nameRechecks(Module &m, FunctionAnalysisManager &fam) {
  Wrappers wrappers;
  SmallVector<Function *, 16> functions; // the copies come and go
  for (Function &f : m)
    if (isOfInterest(f, wrappers))
      functions.push_back(&f);
  Rechecks rechecks;
  for (Function *f : functions)
    addRechecks(Inlined(*f, wrappers, fam), fam, rechecks);
  if (none_of(rechecks, [](const auto &one) { return isTold(one.second); }))
    return false;
  emit(m, rechecks);
  return true;
}

} // namespace rsan
