// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef PROCESSES_H
#define PROCESSES_H

#include <stdbool.h>

// Calls `visit` for each process of the system, with its number as a text, and returns how often
// that returned true. Returns 0 if /proc cannot be read.
unsigned processes_visit(bool (*visit)(const char *pid, const void *context), const void *context);

#endif
