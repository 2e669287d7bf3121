// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Other programs, of which the output is read.

#ifndef PIPED_H
#define PIPED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

struct piped {
  pid_t pid;
  FILE *output;
};

// Starts the program ARGV, found in PATH if it has no slash, with standard input from IN (-1:
// none). QUIET: what it says on standard error is dropped. False after a message.
bool piped_start(struct piped *piped, const char *const *argv, int in, bool quiet);

// Its exit status, -1 if it has none.
int piped_end(struct piped *piped);

// A descriptor to read the text from, which other programs can open as /dev/fd/N; -1 after a
// message.
int piped_text(const char *text, size_t size);

#endif
