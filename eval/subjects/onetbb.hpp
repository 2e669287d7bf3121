// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Included before all else: with -fgnuc-version=11 glibc's headers take clang for a GCC that knows
// an attribute of deallocators.

#include <sys/cdefs.h>
#undef __attr_dealloc
#define __attr_dealloc(deallocator, argument)
