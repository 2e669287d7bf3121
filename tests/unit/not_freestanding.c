// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the core must not do: call libc. For the twin of the test unit.core-symbols.

#include <string.h>

size_t rsan_not_freestanding(const char *text);

size_t rsan_not_freestanding(const char *text) {
  return strlen(text);
}
