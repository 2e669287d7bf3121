// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory that a tool cannot go on without.

#ifndef NEED_H
#define NEED_H

#include <stdlib.h>

// Returns `memory`, which an allocation has given; ends the process by abort if it is NULL.
static inline void *need(void *memory) {
  if (!memory)
    abort();
  return memory;
}

#endif
