// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan config [--options]: what rsan.toml says, as the command lines that it makes.

#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "arguments.h"
#include "base/command.h"
#include "base/shell.h"
#include "config/settings.h"
#include "printable.h"

static const char description[] =
    "Print the settings of the project: the name of its file, the options of the runtime that it "
    "gives, and each command of rsan with the arguments that it adds."
    "\v"
    "The file is the rsan.toml of the current folder, else of the nearest folder above it in the "
    "same repository. `rsan --config FILE COMMAND' takes another one, and `rsan --config none "
    "COMMAND' none. What the command line or the environment says wins.\n"
    "\n"
    "Exit status: 0; 2 wrong usage, or a fault in the file.\n";

static const struct argp_option options[] = {
    {"options", 'o', NULL, 0, "print the options of the runtime alone", 0},
    {NULL, 0, NULL, 0, NULL, 0},
};

static error_t parse_option(int key, char *text, struct argp_state *state) {
  (void)text;
  if (key == 'o')
    *(bool *)state->input = true;
  return key == 'o' ? 0 : ARGP_ERR_UNKNOWN;
}

static void show_words(char *const *words) {
  if (!words[1])
    return;
  char *line = shell_line((const char *const *)words + 1);
  put_printable(words[0], stdout);
  putchar(' ');
  put_printable(line, stdout);
  putchar('\n');
  free(line);
}

// Each in a process of its own, which ends when its arguments are known. Returns its status.
static int show_command(const char *name, int (*run)(int argc, char **argv)) {
  char program[64];
  fflush(stdout);
  snprintf(program, sizeof program, "rsan %s", name);
  const pid_t child = fork();
  if (child == 0) {
    settings_apply(name, show_words);
    exit(run(1, (char *[]){program, NULL}));
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child)
    abort();
  return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_USAGE;
}

int command_config(int argc, char **argv) {
  static const struct argp argp = {.options = options, .parser = parse_option, .doc = description};
  bool only_options = false;
  int worst = 0;
  if (arguments_parse(&argp, argc, argv, 0, &only_options) != 0)
    return EXIT_USAGE;
  char *runtime = settings_options();
  if (only_options) {
    print_line(stdout, "%s", runtime);
    free(runtime);
    return 0;
  }
  print_line(stdout, "file: %s", settings_file() ? settings_file() : "none");
  if (*runtime)
    print_line(stdout, "RSAN_OPTIONS: %s", runtime);
  free(runtime);
#define SHOW(name)                                                                                 \
  {                                                                                                \
    const int status = settings_file() ? show_command(#name, command_##name) : 0;                  \
    worst = status > worst ? status : worst;                                                       \
  }
  CONFIG_COMMANDS(SHOW)
#undef SHOW
  return worst;
}
