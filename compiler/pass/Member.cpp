// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Member.h"

#include "llvm/BinaryFormat/Dwarf.h"

using namespace llvm;

namespace rsan {
namespace {

bool isInStd(const DICompositeType &type) {
  for (const DIScope *scope = type.getScope(); scope; scope = scope->getScope())
    if (auto *space = dyn_cast<DINamespace>(scope);
        space && space->getName() == "std" && !space->getScope())
      return true;
  return false;
}

/// Qualifiers, _Atomic included, have no size of their own: the size is the unqualified type's.
uint64_t sizeOf(const DIType *type) {
  while (auto *derived = dyn_cast_or_null<DIDerivedType>(type)) {
    if (derived->getSizeInBits())
      break;
    type = derived->getBaseType();
  }
  return type ? type->getSizeInBits() / 8 : 0;
}

/// A member or a base class. A union with several members gives none, as any may be meant.
const DIDerivedType *memberAt(const DICompositeType &type, uint64_t offset) {
  const DIDerivedType *found = nullptr;
  for (const DINode *node : type.getElements()) {
    auto *member = dyn_cast<DIDerivedType>(node);
    if (!member || member->isStaticMember() || member->isBitField() ||
        (member->getTag() != dwarf::DW_TAG_member && member->getTag() != dwarf::DW_TAG_inheritance))
      continue;
    uint64_t begin = member->getOffsetInBits() / 8, size = sizeOf(member);
    if (offset < begin || (size && offset >= begin + size)) // an array at the end may have none
      continue;
    if (found)
      return nullptr;
    found = member;
  }
  return found;
}

} // namespace

const DIType *withoutNames(const DIType *type) {
  while (auto *derived = dyn_cast_or_null<DIDerivedType>(type)) {
    unsigned tag = derived->getTag();
    if (tag != dwarf::DW_TAG_typedef && tag != dwarf::DW_TAG_const_type &&
        tag != dwarf::DW_TAG_volatile_type)
      return derived;
    type = derived->getBaseType();
  }
  return type;
}

std::string pathIn(const DIType *type, uint64_t offset, uint64_t *size) {
  std::string path;
  while (auto *composite = dyn_cast_or_null<DICompositeType>(withoutNames(type))) {
    if (composite->getTag() == dwarf::DW_TAG_array_type) {
      path += "[]";
      type = composite->getBaseType();
      if (uint64_t element = sizeOf(type))
        offset %= element;
      continue;
    }
    if (isInStd(*composite))
      break;
    const DIDerivedType *member = memberAt(*composite, offset);
    if (!member)
      return "";
    offset -= member->getOffsetInBits() / 8;
    if (!member->getName().empty() && member->getTag() == dwarf::DW_TAG_member)
      path += "." + member->getName().str();
    type = member->getBaseType();
  }
  if (size)
    *size = sizeOf(type);
  return path;
}

} // namespace rsan
