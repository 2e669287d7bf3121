// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "shell.h"

#include <string.h>
#include <sys/wait.h>

int shell_status(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void shell_quote(const char *word, FILE *out) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                              "/._-+=:,%@";
  if (*word && !word[strspn(word, plain)]) {
    fputs(word, out);
    return;
  }
  fputc('\'', out);
  for (; *word; word++)
    if (*word == '\'')
      fputs("'\\''", out);
    else
      fputc(*word, out);
  fputc('\'', out);
}
