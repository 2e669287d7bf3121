// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lines of a report that explain a violation and that name places within themselves:
//
//   Every sequentially consistent run orders that write first, through
//     write 0x55f4e1962a6c   T1   (/path/dekker+0x10f175)   memory_order_release
//     ...
//   but it does not happen before this access.
//   Suggested repair: atomic_thread_fence(memory_order_seq_cst) after (/path/dekker+0x10f175)

#ifndef EXPLANATION_H
#define EXPLANATION_H

#include <stdbool.h>
#include <stddef.h>

#include "sources.h"

// If the first of the lines is the one before the steps, prints it and them; returns how many lines
// that were.
size_t explanation_rewrite_steps(struct sources *sources, char *const *lines, size_t count);

// Prints the line of the suggested repair; false: it is another line.
bool explanation_rewrite_repair(struct sources *sources, const char *line);

// Notes the modules that the line names.
void explanation_note(struct modules *modules, const char *line);

#endif
