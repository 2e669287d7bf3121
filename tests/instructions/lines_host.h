// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The core's host for lines.py: blocks as the runtime's allocator has them, all in one array.

#ifndef RSAN_TESTS_LINES_HOST_H
#define RSAN_TESTS_LINES_HOST_H

#include <stdint.h>

// The thread of that number makes the next step. The store is what lines.py sees of it.
extern volatile uint8_t lines_turn[32];
extern uint32_t lines_thread;
static inline void lines_begin(uint32_t thread) {
  lines_thread = thread;
  lines_turn[thread] = 1;
}

// Says where that is, and the memory of the core's blocks.
void lines_print(void);

#endif
