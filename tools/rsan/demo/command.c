// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan demo builds the README's example in a temporary folder, runs it, and runs `rsan confirm' and
// `rsan fix' on it. Exit status: 0 each of the three found what it should; 1 one did not; 2 wrong
// usage. The commands keep their logs and their list of trusted replays in the same folder, which
// the demo removes at its end.

#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "arguments.h"
#include "base/command.h"
#include "base/prefix.h"
#include "demo/example.h"
#include "file/temporary.h"
#include "printable.h"
#include "run/guard.h"

static const char description[] =
    "Build a small program with a defect in a temporary folder, and show RSan's report about it, "
    "what `rsan confirm' says, and the repair that `rsan fix' finds."
    "\v"
    "The folder is removed at the end.\n"
    "\n"
    "Exit status: 0 report, confirmation and repair were found; 1 one of them was not; 2 wrong "
    "usage.\n";

struct step {
  const char *text; // printed before the command
  const char *program, *arguments[6];
  int status; // expected exit status
};

static const struct step steps[] = {
    {"In dekker.c each of two threads raises its flag and then reads the other's. Build it:",
     "rsan-clang",
     {"-fsanitize=robustness", "-g", "-O1", "dekker.c", "-o", "dekker"},
     0},
    {"Run it once. The run is correct, but RSan reports what could go wrong:",
     "./dekker",
     {NULL},
     66},
    {"`rsan confirm' gives a thread the stale value, and the program fails:",
     "rsan",
     {"confirm", "--", "./dekker"},
     66},
    {"`rsan fix' finds the smallest repair:", "rsan", {"fix", "--", "./dekker"}, 0},
};

enum { MAX_WORDS = 8 };

static bool write_file(const char *folder, const char *name, const char *text) {
  char path[PATH_MAX + 32];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *out = fopen(path, "w");
  bool written = out && fputs(text, out) >= 0;
  if (out && fclose(out) != 0)
    written = false;
  if (!written)
    print_line(stderr, "rsan demo: %s: %s", path, strerror(errno));
  return written;
}

// Replaces the user's options and folders, so that the example prints the same for every user and
// leaves no file behind.
static bool set_environment(const char *folder) {
  char options[PATH_MAX + 32];
  snprintf(options, sizeof options, "strip_path_prefix='%s/'", folder);
  return unsetenv("TSAN_OPTIONS") == 0 && setenv("RSAN_OPTIONS", options, 1) == 0 &&
         setenv("TMPDIR", folder, 1) == 0 && setenv("XDG_STATE_HOME", folder, 1) == 0;
}

_Noreturn static void start(const char *folder, const char *path, const char *const *words) {
  int none = open("/dev/null", O_RDONLY | O_CLOEXEC);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (none >= 0 && dup2(none, STDIN_FILENO) == 0 && chdir(folder) == 0 && set_environment(folder))
    execv(path, (char *const *)words); // which leaves the strings as they are
  print_line(stderr, "rsan demo: %s: %s", path, strerror(errno));
  _exit(127);
}

// Runs the step's command with this process's outputs. Returns whether it ended as it must.
static bool run(const char *folder, const struct step *step) {
  char path[PATH_MAX + 32];
  const char *words[MAX_WORDS] = {step->program};
  printf("\n%s\n\n$ %s", step->text, step->program);
  for (int i = 0; i < (int)(sizeof step->arguments / sizeof *step->arguments); i++) {
    words[i + 1] = step->arguments[i];
    if (step->arguments[i])
      printf(" %s", step->arguments[i]);
  }
  puts("");
  fflush(NULL); // before what the child writes
  bool own = *step->program == '.';
  snprintf(path, sizeof path, own ? "%s%s" : "%s/bin/%s", own ? folder : install_prefix(),
           step->program + own);
  pid_t child = fork();
  if (child == 0)
    start(folder, path, words);
  int status;
  file_temporary_written_by(child);
  if (child < 0 || waitpid(child, &status, 0) != child)
    return false;
  file_temporary_written_by(0);
  int ended = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (ended == step->status)
    return true;
  print_line(stderr, "rsan demo: %s ended with %d instead of %d: run `rsan doctor'", step->program,
             ended, step->status);
  return false;
}

static error_t parse_option(int key, char *text, struct argp_state *state) {
  if (key != ARGP_KEY_ARG)
    return ARGP_ERR_UNKNOWN;
  arguments_error(state, "%s: there are no arguments", text);
  return 0;
}

int command_demo(int argc, char **argv) {
  static const struct argp argp = {.parser = parse_option, .doc = description};
  char folder[PATH_MAX];
  if (arguments_parse(&argp, argc, argv, 0, NULL) != 0)
    return EXIT_USAGE;
  guard_begin();
  if (!file_temporary_make("rsan-demo", PATH_MAX / 2, folder)) {
    print_line(stderr, "%s: %s: %s", argv[0], folder, strerror(errno));
    return EXIT_FAILURE;
  }
  if (!write_file(folder, "dekker.c", demo_dekker) || !write_file(folder, "stage.h", demo_stage))
    return EXIT_FAILURE;
  for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
    if (!run(folder, &steps[i]))
      return EXIT_FAILURE;
  puts("\nThe files of this demo are removed. The guide begins with docs/guide/TUTORIAL.md.");
  return EXIT_SUCCESS;
}
