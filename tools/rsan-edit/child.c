// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "file/target.h"
#include "printable.h"

static bool say(const char *what) {
  print_line(stderr, "rsan-edit: %s: %s", what, strerror(errno));
  return false;
}

static void become(const char *const *argv, int in, int out) {
  int none = open("/dev/null", O_RDONLY);
  dup2(in >= 0 ? in : none, STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  execvp(argv[0], (char *const *)argv); // which leaves the strings as they are
  say(argv[0]);
  _exit(127);
}

bool child_start(struct child *child, const char *const *argv, int in) {
  int out[2];
  *child = (struct child){.pid = -1};
  if (pipe2(out, O_CLOEXEC) != 0)
    return say("pipe");
  fflush(NULL);
  child->pid = fork();
  if (child->pid == 0)
    become(argv, in, out[1]);
  close(out[1]);
  child->output = fdopen(out[0], "r");
  return (child->pid > 0 && child->output) || say(argv[0]);
}

int child_end(struct child *child) {
  int status;
  if (child->output)
    fclose(child->output);
  if (child->pid < 0 || waitpid(child->pid, &status, 0) != child->pid || !WIFEXITED(status))
    return -1;
  return WEXITSTATUS(status);
}

int child_text(const char *text, size_t size) {
  int file = memfd_create("text", 0);
  if (file < 0 || !file_write_all(file, text, size) || lseek(file, 0, SEEK_SET) != 0) {
    say("memory for a text");
    if (file >= 0)
      close(file);
    return -1;
  }
  return file;
}
