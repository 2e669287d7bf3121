// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What atomic accesses are made to, as the source names it: `queue.tail`, `ring.slots[].seq`. The
// address says it while it is as the front end made it: the structure that it begins with, and how
// far it goes from there. The names are those of the debug information. Where the address begins
// with a variable, or with the pointer in one, the expression is known, too: `q->tail`.
//
// The table's key is the access's place in the source (as for wrappers, Wrappers.cpp) and the full
// name of its function. The place alone is not enough: all instances of a template have the same
// places. The place is that of the atomic instruction; if a wrapper or a member of std::atomic
// makes the access, it is that of the call that passes the address on. A function may make accesses
// to two objects, or to one that has no name, at one place. Then the table has no name for that
// place.

#include "Access.h"
#include "Member.h"
#include "Pass.h"
#include "Wrapper.h"

#include "compiler-rt-patch/src/common/rsan_source_name.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

#include <map>
#include <optional>
#include <set>

using namespace llvm;

namespace rsan {
namespace {

/// Not stripPointerCasts(), for which the first field of a structure is the structure.
const Value *withoutCasts(const Value *v) {
  while (isa<BitCastOperator>(v) || isa<AddrSpaceCastOperator>(v))
    v = cast<Operator>(v)->getOperand(0);
  return v;
}

/// `ns::queue`, as LLVM's name of the type has it.
std::string qualifiedName(const DICompositeType &type) {
  std::string name = type.getName().str();
  for (const DIScope *scope = type.getScope(); scope; scope = scope->getScope())
    if (isa<DINamespace>(scope) || isa<DICompositeType>(scope))
      if (!scope->getName().empty())
        name = scope->getName().str() + "::" + name;
  return name.substr(0, name.find('<'));
}

class Namer {
public:
  explicit Namer(const Module &m) : layout(m.getDataLayout()) {
    DebugInfoFinder finder;
    finder.processModule(m);
    for (const DIType *type : finder.types())
      if (auto *composite = dyn_cast<DICompositeType>(type))
        if (!composite->isForwardDecl() && !composite->getName().empty())
          types.emplace(qualifiedName(*composite), composite);
  }

  /// The variables that a function names, which are its arguments, too: clang puts them there.
  void enter(const Function &f) {
    locals.clear();
    for (const Instruction &i : instructions(f)) {
      for (DbgVariableRecord &record : filterDbgVars(i.getDbgRecordRange()))
        if (record.isDbgDeclare())
          addLocal(record.getAddress(), *record.getVariable(), *record.getExpression());
        else if (record.isDbgAssign() && !record.isKillAddress()) // in place of the former at -O1
          addLocal(record.getAddress(), *record.getVariable(), *record.getAddressExpression());
      if (auto *declare = dyn_cast<DbgDeclareInst>(&i))
        addLocal(declare->getAddress(), *declare->getVariable(), *declare->getExpression());
    }
  }

  /// `queue.tail`, or with the expression in a second line. Empty: the address is no field's, or
  /// nobody knows its name. The size is that of the access, in bytes; 0: that of the field.
  std::string of(const Value *address, uint64_t size) const {
    if (auto *global = dyn_cast<GlobalVariable>(withoutCasts(address)))
      return ofFirst(*global, size);
    uint64_t offset = 0;
    StructType *type = nullptr;
    bool moved = false; // `p[i].seq` and `(p + 1)->seq` are not `p->seq`
    while (auto *gep = dyn_cast<GEPOperator>(withoutCasts(address))) {
      if (!add(*gep, &offset))
        return "";
      auto *first = dyn_cast<ConstantInt>(*gep->idx_begin());
      moved |= !first || !first->isZero();
      address = gep->getPointerOperand();
      if (auto *structure = dyn_cast<StructType>(gep->getSourceElementType()))
        type = structure;
      else if (!isa<ArrayType>(gep->getSourceElementType()))
        break; // pointer arithmetic: what is before it says nothing
    }
    const DICompositeType *known = type ? find(*type) : nullptr;
    std::string path = known ? pathIn(known, offset) : "";
    if (path.empty())
      return "";
    std::string variable = moved ? "" : reachedBy(withoutCasts(address), *known);
    std::string name = known->getName().str() + path;
    return variable.empty() ? name : name + "\n" + variable + path.substr(1);
  }

private:
  /// The first field of a variable has the address of the variable itself.
  std::string ofFirst(const GlobalVariable &global, uint64_t size) const {
    const DIVariable *variable = variableAt(&global);
    auto *type =
        variable ? dyn_cast_or_null<DICompositeType>(withoutNames(variable->getType())) : nullptr;
    if (!type || type->getTag() == dwarf::DW_TAG_array_type || type->getName().empty())
      return "";
    uint64_t known = 0;
    std::string path = pathIn(type, 0, &known);
    if (path.empty() || (size && size != known))
      return "";
    return type->getName().str() + path + "\n" + (variable->getName() + path).str();
  }

  const DataLayout &layout;
  std::multimap<std::string, const DICompositeType *> types;
  std::map<const Value *, const DIVariable *> locals; // of the function; null: it has two

  void addLocal(const Value *where, const DILocalVariable &variable,
                const DIExpression &expression) {
    if (!where || expression.getNumElements())
      return;
    auto [at, is_new] = locals.emplace(where, &variable);
    if (!is_new && at->second != &variable)
      at->second = nullptr;
  }

  /// The variable that is at the address.
  const DIVariable *variableAt(const Value *address) const {
    if (auto found = locals.find(address); found != locals.end())
      return found->second;
    auto *global = dyn_cast<GlobalVariable>(address);
    SmallVector<DIGlobalVariableExpression *, 1> known;
    if (global)
      global->getDebugInfo(known);
    return known.size() == 1 && !known[0]->getExpression()->getNumElements()
               ? known[0]->getVariable()
               : nullptr;
  }

  /// `q->`, `ring.`: the variable by which a structure is reached. It must be of that type, or
  /// point to it, by its own debug information; `this` is left out of the source, and says nothing.
  std::string reachedBy(const Value *base, const DICompositeType &known) const {
    auto *load = dyn_cast<LoadInst>(base);
    const DIVariable *variable = variableAt(load ? load->getPointerOperand() : base);
    if (!variable || variable->getName().empty() || variable->getName() == "this")
      return "";
    const DIType *type = withoutNames(variable->getType());
    if (load) {
      auto *pointer = dyn_cast_or_null<DIDerivedType>(type);
      if (!pointer || (pointer->getTag() != dwarf::DW_TAG_pointer_type &&
                       pointer->getTag() != dwarf::DW_TAG_reference_type))
        return "";
      bool refers = pointer->getTag() == dwarf::DW_TAG_reference_type;
      return withoutNames(pointer->getBaseType()) == &known
                 ? (variable->getName() + (refers ? "." : "->")).str()
                 : "";
    }
    return type == &known ? (variable->getName() + ".").str() : "";
  }

  /// Adds how far it goes within its type; which element of an array does not matter.
  bool add(const GEPOperator &gep, uint64_t *offset) const {
    Type *type = gep.getSourceElementType();
    for (auto index = gep.idx_begin() + 1; index < gep.idx_end(); ++index) {
      if (auto *structure = dyn_cast<StructType>(type)) {
        unsigned field = cast<ConstantInt>(*index)->getZExtValue();
        *offset += layout.getStructLayout(structure)->getElementOffset(field);
        type = structure->getElementType(field);
      } else if (auto *array = dyn_cast<ArrayType>(type)) {
        type = array->getElementType();
      } else {
        return false;
      }
    }
    return true;
  }

  /// The one type of that name and size.
  const DICompositeType *find(const StructType &type) const {
    if (!type.hasName())
      return nullptr;
    StringRef name = type.getName();
    for (StringRef kind : {"struct.", "class.", "union."})
      if (name.consume_front(kind))
        break;
    StringRef digits = name.substr(name.rfind('.') + 1);
    if (name.contains('.') && !digits.empty() && all_of(digits, isDigit))
      name = name.drop_back(digits.size() + 1);
    uint64_t bits = layout.getTypeAllocSizeInBits(const_cast<StructType *>(&type));
    const DICompositeType *found = nullptr;
    auto [begin, end] = types.equal_range(name.str());
    for (auto at = begin; at != end; ++at) {
      if (at->second->getSizeInBits() != bits)
        continue;
      if (found && found->getIdentifier() != at->second->getIdentifier())
        return nullptr;
      found = at->second;
    }
    return found;
  }
};

/// Bytes of the atomic access that an instruction makes; 0: it makes none.
uint64_t accessSize(const Instruction &i) {
  const Type *type = nullptr;
  if (auto *rmw = dyn_cast<AtomicRMWInst>(&i))
    type = rmw->getValOperand()->getType();
  else if (auto *cas = dyn_cast<AtomicCmpXchgInst>(&i))
    type = cas->getCompareOperand()->getType();
  else if (i.isAtomic() && getLoadStorePointerOperand(&i))
    type = getLoadStoreType(const_cast<Instruction *>(&i));
  return type ? i.getDataLayout().getTypeStoreSize(const_cast<Type *>(type)).getFixedValue() : 0;
}

/// The field whose address a call passes on, of arguments that say which object it is; null: none
/// of these is one, or several are.
const Value *passedOn(const CallBase &call, const SmallBitVector *objects) {
  const Value *found = nullptr;
  for (const Use &argument : call.args()) {
    unsigned number = argument.getOperandNo();
    if (!isa<GEPOperator>(withoutCasts(argument)) ||
        (objects && (number >= objects->size() || !objects->test(number))))
      continue;
    if (found)
      return nullptr;
    found = argument;
  }
  return found;
}

/// The address that an instruction accesses atomically, or passes on: null if it is not known.
/// Nothing: it does neither.
std::optional<const Value *> addressIn(const Instruction &i, Wrappers &wrappers) {
  if (const Value *address = atomicAddress(i))
    return address;
  auto *call = dyn_cast<CallBase>(&i);
  const Function *callee = call ? call->getCalledFunction() : nullptr;
  if (!callee || callee->isIntrinsic())
    return std::nullopt;
  if (isStandardAtomic(*callee)) { // the object is the first one, before what is expected
    for (const Use &argument : call->args())
      if (isa<GEPOperator>(withoutCasts(argument)) || isa<GlobalVariable>(withoutCasts(argument)))
        return argument;
    return nullptr;
  }
  if (analysed(*callee) && wrappers.isFound(*callee))
    return passedOn(*call, &wrappers.objects(*callee));
  if (isAnnotated(*callee, "rsan_wrapper"))
    return passedOn(*call, nullptr);
  return std::nullopt;
}

/// Names by the keys of place and function; empty: it has two, or none.
using Names = std::map<std::pair<uint64_t, uint64_t>, std::string>;

/// In text form: a name is stored once for all places that have it.
void emit(Module &m, const Names &names) {
  LLVMContext &context = m.getContext();
  Type *word = Type::getInt64Ty(context), *pointer = PointerType::getUnqual(context);
  StructType *entry = StructType::get(context, {word, word, pointer});
  std::map<std::string, GlobalVariable *> texts;
  SmallVector<Constant *, 64> entries;
  for (const auto &[key, name] : names) {
    GlobalVariable *&text = texts[name];
    if (!text) {
      Constant *bytes = ConstantDataArray::getString(context, name);
      text = new GlobalVariable(m, bytes->getType(), true, GlobalValue::PrivateLinkage, bytes,
                                "rsan.field");
    }
    Constant *place = ConstantInt::get(word, key.first);
    entries.push_back(
        ConstantStruct::get(entry, {place, ConstantInt::get(word, key.second), text}));
  }
  Constant *table = ConstantArray::get(ArrayType::get(entry, entries.size()), entries);
  auto *global = new GlobalVariable(m, table->getType(), true, GlobalValue::PrivateLinkage, table,
                                    "rsan.fields");
  Type *count = Type::getInt32Ty(context);
  auto [constructor, note] = createSanitizerCtorAndInitFunctions(
      m, "rsan.fields_ctor", "__rsan_note_field_names", {pointer, count},
      {global, ConstantInt::get(count, entries.size())});
  (void)note;
  appendToGlobalCtors(m, constructor, 1); // ThreadSanitizer's, which starts the runtime, has 0
}

/// What two names of one place have in common.
std::string common(StringRef one, StringRef other) {
  if (one == other)
    return one.str();
  StringRef field = one.split('\n').first;
  return field == other.split('\n').first ? field.str() : "";
}

/// Leaves out the places at which no function has a name.
void dropNameless(Names &names) {
  std::set<uint64_t> named;
  for (const auto &[key, name] : names)
    if (!name.empty())
      named.insert(key.first);
  for (auto at = names.begin(); at != names.end();)
    at = named.count(at->first.first) ? std::next(at) : names.erase(at);
}

} // namespace

bool nameFields(Module &m) {
  Wrappers wrappers;
  Namer namer(m);
  Names names;
  for (const Function &f : m) {
    if (!analysed(f))
      continue;
    namer.enter(f);
    for (const Instruction &i : instructions(f)) {
      std::optional<const Value *> address = addressIn(i, wrappers);
      const DILocation *place = address ? i.getDebugLoc().get() : nullptr;
      if (!place || !place->getLine())
        continue;
      std::string name = *address ? namer.of(*address, accessSize(i)) : "";
      std::string function = fullName(*place->getScope()->getSubprogram());
      std::pair<uint64_t, uint64_t> key(keyOf(*place), rsan_function_key(function.c_str()));
      auto [at, is_new] = names.emplace(key, name);
      if (!is_new)
        at->second = common(at->second, name);
    }
  }
  dropNameless(names);
  if (!names.empty())
    emit(m, names);
  return !names.empty();
}

} // namespace rsan
