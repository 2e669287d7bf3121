// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "child.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void become(const char *const *argv, int in, int out) {
  dup2(in, STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  dup2(out, STDERR_FILENO);
  execv(argv[0], (char *const *)argv); // which leaves the strings as they are
  perror(argv[0]);
  _exit(127);
}

// Reads to the end, so that the writer is never stopped.
static void read_first_line(FILE *file, char *first, size_t size) {
  char line[1024];
  bool have = false;
  while (fgets(line, sizeof line, file)) {
    line[strcspn(line, "\n")] = 0;
    if (!have && *line) {
      snprintf(first, size, "%s", line);
      have = true;
    }
  }
}

int child_run(const char *const *argv, const char *input, char *first, size_t size) {
  int out[2];
  *first = 0;
  FILE *in = tmpfile();
  if (!in || pipe2(out, 0) != 0) {
    if (in)
      fclose(in);
    return -1;
  }
  fputs(input, in);
  rewind(in); // writes it out, too
  fflush(NULL);
  pid_t child = fork();
  if (child == 0)
    become(argv, fileno(in), out[1]);
  fclose(in);
  close(out[1]);
  FILE *text = fdopen(out[0], "r");
  if (text) {
    read_first_line(text, first, size);
    fclose(text);
  }
  int status;
  if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
    return -1;
  return WEXITSTATUS(status);
}
