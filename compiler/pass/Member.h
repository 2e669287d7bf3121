// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Members of types, by debug information.

#ifndef RSAN_PASS_MEMBER_H
#define RSAN_PASS_MEMBER_H

#include "llvm/IR/DebugInfoMetadata.h"

#include <string>

namespace rsan {

/// The type behind typedefs and qualifiers; null: void.
const llvm::DIType *withoutNames(const llvm::DIType *type);

/// `.slots[].seq`: what is at `offset` bytes of the type; empty: nothing that has a name. The C++
/// library's own types have no members. Sets `size` to the bytes of what is there; 0: unknown.
std::string pathIn(const llvm::DIType *type, uint64_t offset, uint64_t *size = nullptr);

} // namespace rsan

#endif
