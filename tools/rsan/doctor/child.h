// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef CHILD_H
#define CHILD_H

#include <stddef.h>

// Runs argv[0] (a path) with INPUT, short text, on standard input. FIRST gets the first line that
// is not empty of what it writes to either stream. The exit status, or -1 if it did not run or end
// by itself.
int child_run(const char *const *argv, const char *input, char *first, size_t size);

#endif
