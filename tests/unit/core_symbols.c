// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the core must not do, one fault at a time: for the twins of the test unit.core-symbols.
// Without a fault it is as the core is.

#include <string.h>

size_t rsan_twin(const char *text);
size_t twin(const char *text);

static size_t count(const char *text) {
#if defined FAULT_CALL
  return strlen(text);
#elif defined FAULT_VARIABLE
  static volatile size_t calls;
  return text[0] + ++calls;
#else
  return text[0] != 0;
#endif
}

size_t rsan_twin(const char *text) {
  return count(text);
}

#ifdef FAULT_NAME
size_t twin(const char *text) {
  return count(text);
}
#endif
