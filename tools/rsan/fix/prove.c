// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fix --check: what was rebuilt with the repair in its sources is explored by `rsan check'.

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/prefix.h"
#include "fix.h"
#include "printable.h"

// The exit statuses of `rsan check' (docs/guide/EXIT-STATUS.md).
enum { CHECK_PROVED = 0, CHECK_NOT_PROVED = 3, CHECK_FOUND = 66, CHECK_WITHOUT_FAILURE = 67 };

static void become(const struct fix *fix, const char *time, const char *out) {
  char program[PATH_MAX + 16];
  size_t words = 0, count = 0;
  while (fix->plan.command[words])
    words++;
  const char **argv = calloc(words + 8, sizeof *argv);
  int file = open(out, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (!argv || file < 0)
    _exit(127);
  dup2(file, STDOUT_FILENO);
  dup2(file, STDERR_FILENO);
  snprintf(program, sizeof program, "%s/bin/rsan", install_prefix());
  const char *const first[] = {program, "check", "--time", time, "--"};
  for (size_t i = 0; i < sizeof first / sizeof *first; i++)
    argv[count++] = first[i];
  for (size_t i = 0; i < words; i++)
    argv[count++] = fix->plan.command[i];
  execv(program, (char *const *)argv); // which leaves the strings as they are
  print_line(stderr, "%s: %s: %s", fix->name, program, strerror(errno));
  _exit(127);
}

// Its exit status, -1 if it has none.
static int check(const struct fix *fix, const char *time, const char *out) {
  int status;
  fflush(NULL);
  pid_t child = fork();
  if (child == 0)
    become(fix, time, out);
  if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
    return -1;
  return WEXITSTATUS(status);
}

// The last line with the text in it, which its verdict is in. In static memory.
static const char *find_line(const char *path, const char *text) {
  static char found[1024];
  char line[1024];
  FILE *file = fopen(path, "re");
  *found = 0;
  while (file && fgets(line, sizeof line, file))
    if (strstr(line, text)) {
      line[strcspn(line, "\n")] = 0;
      strcpy(found, line);
    }
  if (file)
    fclose(file);
  return found;
}

int fix_prove(const struct fix *fix, const char *time) {
  char out[PATH_MAX + 8];
  snprintf(out, sizeof out, "%s/check", fix->folder);
  int status = check(fix, time, out);
  switch (status) {
  case CHECK_PROVED:
    print_line(stdout, "rsan check: %s: this is for this test", find_line(out, "proved: "));
    return 0;
  case CHECK_NOT_PROVED:
    print_line(stdout, "rsan check: %s", find_line(out, "not proved"));
    printf("so what is known of the repair is: no violation in %u runs\n", fix->runs);
    return 0;
  case CHECK_FOUND:
  case CHECK_WITHOUT_FAILURE:
    print_line(stdout, "rsan check: %s: it is in schedules that the runs did not have",
               find_line(out, " executions"));
    return CHECK_FOUND;
  default:
    print_line(stderr, "%s: rsan check failed: %s", fix->name, find_line(out, ": "));
    return 1;
  }
}
