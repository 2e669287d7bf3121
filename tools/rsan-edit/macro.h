// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MACRO_H
#define MACRO_H

#include <clang-c/Index.h>
#include <stdbool.h>

// Is the macro another name for one atomic access, by way of others of the kind? Then what stands
// before or after its use stands before or after the access:
//   #define load_relaxed(p) my_atomic(load_explicit)(p, memory_order_relaxed)
bool macro_is_access(CXTranslationUnit parsed, CXCursor definition);

bool macro_is_defined(CXTranslationUnit parsed, const char *name);

#endif
