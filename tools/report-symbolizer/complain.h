// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One line of complaint on standard error, and the exit status that it leads to.

#ifndef COMPLAIN_H
#define COMPLAIN_H

#include <stddef.h>

enum status {
  STATUS_DONE = 0,
  STATUS_RAW_FRAMES = 1, // some frames stay raw: their module is missing or another build
  STATUS_FAILED = 2,     // usage, input, output, or no symbolizer
};

// Raises the exit status and prints the line. What was written before comes out before it.
__attribute__((format(printf, 2, 3))) void complain(enum status status, const char *format, ...);

enum status complaint_status(void);

// Memory or the end of the process.
void *must_alloc(void *block, size_t size); // realloc
char *must_copy(const char *text, size_t length);

#endif
