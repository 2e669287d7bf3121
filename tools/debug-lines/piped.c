// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "piped.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "file/target.h"
#include "printable.h"

static bool say(const char *what) {
  print_line(stderr, "%s: %s: %s", program_invocation_short_name, what, strerror(errno));
  return false;
}

static void become(const char *const *argv, int in, int out, bool quiet) {
  int none = open("/dev/null", O_RDWR);
  dup2(in >= 0 ? in : none, STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  if (quiet)
    dup2(none, STDERR_FILENO);
  execvp(argv[0], (char *const *)argv); // which leaves the strings as they are
  say(argv[0]);
  _exit(127);
}

bool piped_start(struct piped *piped, const char *const *argv, int in, bool quiet) {
  int out[2];
  *piped = (struct piped){.pid = -1};
  if (pipe2(out, O_CLOEXEC) != 0)
    return say("pipe");
  fflush(NULL);
  piped->pid = fork();
  if (piped->pid == 0)
    become(argv, in, out[1], quiet);
  close(out[1]);
  piped->output = fdopen(out[0], "r");
  return (piped->pid > 0 && piped->output) || say(argv[0]);
}

int piped_end(struct piped *piped) {
  int status;
  if (piped->output)
    fclose(piped->output);
  if (piped->pid < 0 || waitpid(piped->pid, &status, 0) != piped->pid || !WIFEXITED(status))
    return -1;
  return WEXITSTATUS(status);
}

int piped_text(const char *text, size_t size) {
  int file = memfd_create("text", 0);
  if (file < 0 || !file_write_all(file, text, size) || lseek(file, 0, SEEK_SET) != 0) {
    say("memory for a text");
    if (file >= 0)
      close(file);
    return -1;
  }
  return file;
}
