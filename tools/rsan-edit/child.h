// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Other programs, of which the output is read.

#ifndef CHILD_H
#define CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

struct child {
  pid_t pid;
  FILE *output;
};

// Starts the program ARGV, found in PATH if it has no slash, with standard input from IN (-1:
// none). False after a message.
bool child_start(struct child *child, const char *const *argv, int in);

// Its exit status, -1 if it has none.
int child_end(struct child *child);

// A descriptor to read the text from, which other programs can open as /dev/fd/N; -1 after a
// message.
int child_text(const char *text, size_t size);

#endif
