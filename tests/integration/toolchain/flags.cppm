// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// flags.h as a module of C++20.
module;
#include <atomic>
export module flags;
#define EXPORT export
#include "flags.h"
