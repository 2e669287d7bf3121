// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which file a command runs.

#ifndef PROGRAM_FIND_H
#define PROGRAM_FIND_H

#include <limits.h>
#include <stdbool.h>

// Writes the file that a command of that name runs, as execvp finds it, without links. Returns
// false with errno set if there is none.
bool find_program(const char *name, char path[PATH_MAX]);

#endif
