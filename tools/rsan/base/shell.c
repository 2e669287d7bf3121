// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "shell.h"

#include <string.h>
#include <sys/wait.h>

#include "need.h"

int shell_status(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                            "/._-+=:,%@";

bool shell_is_command(const char *line) {
  while (*line) {
    line += strspn(line, plain);
    if (*line == '\'') {
      line = strchr(line + 1, '\'');
      if (!line)
        return false;
      line++;
    } else if (strncmp(line, "\\'", 2) == 0) {
      line += 2;
    } else if (*line == ' ') {
      line++;
    } else if (*line) {
      return false;
    }
  }
  return true;
}

void shell_quote(const char *word, FILE *out) {
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

char *shell_line(const char *const *words) {
  char *line = NULL;
  size_t size;
  FILE *out = need(open_memstream(&line, &size));
  for (const char *const *word = words; *word; word++) {
    if (word != words)
      fputc(' ', out);
    shell_quote(*word, out);
  }
  fclose(out);
  return need(line);
}
