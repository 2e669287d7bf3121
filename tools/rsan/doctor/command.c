// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan doctor [BINARY]. Exit status: 0 fine, 1 problems, 2 wrong usage.

#include "doctor.h"

#include <argp.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arguments.h"
#include "base/command.h"
#include "base/plural.h"
#include "finding.h"
#include "printable.h"

static const char description[] =
    "Find what keeps RSan from working on this machine. Given a program, a shared library, an "
    "object file or an archive, say whether and how far it is instrumented. Each problem comes "
    "with the line that repairs it."
    "\v"
    "The count of atomics in BINARY is of the places that call the runtime, not of how often they "
    "run. In a stripped BINARY, source files cannot be told apart.\n"
    "\n"
    "Exit status: 0 no problem; 1 problems were found; 2 wrong usage or BINARY cannot be read.\n";

enum { KEY_NO_BUILD = 256, KEY_PROC };

static const struct argp_option options[] = {
    {"no-build", KEY_NO_BUILD, NULL, 0, "do not build and run a small program as a test", 0},
    {"proc", KEY_PROC, "DIR", OPTION_HIDDEN, "the kernel's settings are below DIR", 0},
    {NULL, 0, NULL, 0, NULL, 0},
};

struct arguments {
  const char *proc, *binary;
  bool no_build;
};

static error_t parse_option(int key, char *text, struct argp_state *state) {
  struct arguments *arguments = state->input;
  switch (key) {
  case KEY_NO_BUILD:
    arguments->no_build = true;
    return 0;
  case KEY_PROC:
    arguments->proc = text;
    return 0;
  case ARGP_KEY_ARG:
    if (arguments->binary)
      arguments_error(state, "one BINARY only");
    arguments->binary = text;
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

// Is it a file that can be read? Complains if it is none.
static bool is_file(const char *command, const char *path) {
  struct stat status;
  if (access(path, R_OK) != 0 || stat(path, &status) != 0)
    print_line(stderr, "%s: %s: %s", command, path, strerror(errno));
  else if (!S_ISREG(status.st_mode))
    print_line(stderr,
               "%s: %s is %s: give a program, a shared library, an object file or an archive",
               command, path, S_ISDIR(status.st_mode) ? "a folder" : "no regular file");
  else
    return true;
  return false;
}

int command_doctor(int argc, char **argv) {
  static const struct argp argp = {
      .options = options, .parser = parse_option, .args_doc = "[BINARY]", .doc = description};
  struct arguments arguments = {.proc = "/proc"};
  if (arguments_parse(&argp, argc, argv, 0, &arguments) != 0)
    return EXIT_USAGE;
  if (arguments.binary && !is_file(argv[0], arguments.binary))
    return EXIT_USAGE;
  doctor_system(arguments.proc);
  doctor_toolchain(!arguments.no_build);
  if (arguments.binary)
    doctor_binary(arguments.binary);
  unsigned problems = finding_problems();
  if (problems)
    printf("%u problem%s\n", problems, plural(problems));
  else
    puts("no problems");
  return problems > 0;
}
