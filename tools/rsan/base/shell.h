// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SHELL_H
#define SHELL_H

#include <stdbool.h>
#include <stdio.h>

// Returns whether the line is a single command whose words are quoted as shell_quote quotes them.
// Such a line has no second command, no redirection and no expansion.
bool shell_is_command(const char *line);

// Writes the word so that a shell reads it as one.
void shell_quote(const char *word, FILE *out);

// The words, which end with NULL, as a line that a shell reads as these words. The caller frees it.
char *shell_line(const char *const *words);

// What a shell would call the status that waitpid has given.
int shell_status(int status);

#endif
