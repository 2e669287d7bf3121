// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SHELL_H
#define SHELL_H

#include <stdio.h>

// Writes the word so that a shell reads it as one.
void shell_quote(const char *word, FILE *out);

// What a shell would call the status that waitpid has given.
int shell_status(int status);

#endif
