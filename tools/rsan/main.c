// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan COMMAND ...: finds the subcommand.

#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "base/command.h"
#include "completion.h"
#include "printable.h"

const char *argp_program_version = "rsan " RSAN_VERSION;

static const struct command {
  const char *name;
  int (*run)(int argc, char **argv);
} commands[] = {
#define ROW(name, text) {#name, command_##name},
    RSAN_COMMANDS(ROW)
#undef ROW
};

#define LINE(name, text) "  " #name "\t" text "\n"
static const char description[] =
    "Works with programs that rsan-clang has built."
    "\v"
    "Commands:\n" RSAN_COMMANDS(LINE) "\n"
                                      "`rsan COMMAND --help' tells more about one of them.\n";

static const struct command *find(const char *name) {
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
    if (strcmp(commands[i].name, name) == 0)
      return &commands[i];
  return NULL;
}

struct arguments {
  const struct command *command;
  int first; // index of the subcommand's name
};

static error_t parse_option(int key, char *text, struct argp_state *state) {
  struct arguments *arguments = state->input;
  switch (key) {
  case ARGP_KEY_ARG:
    arguments->command = find(text);
    if (!arguments->command)
      arguments_error(state, "there is no command %s", text);
    arguments->first = state->next - 1;
    state->next = state->argc; // the rest is the subcommand's
    return 0;
  case ARGP_KEY_NO_ARGS:
    arguments_error(state, "which COMMAND?");
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

// A file that is opened later must not get the number of a standard stream that is closed: messages
// would be written to it. /dev/null takes the number, in a mode in which the stream still fails.
static void occupy_standard_streams(void) {
  static const int modes[] = {O_WRONLY, O_RDONLY, O_RDONLY};
  for (int fd = 0; fd < 3; fd++)
    if (fcntl(fd, F_GETFD) < 0)
      open("/dev/null", modes[fd]);
}

// A reader who has gone away (head, say) is no error to tell, nor a stream that was never open.
static int end_output(int status) {
  bool failed = fflush(stdout) != 0 || ferror(stdout);
  int error = errno;
  if (!failed && fclose(stdout) != 0) {
    error = errno;
    failed = error != EBADF;
  }
  if (!failed || error == EPIPE)
    return status;
  print_line(stderr, "%s: cannot write standard output: %s", program_invocation_short_name,
             strerror(error));
  return status > EXIT_USAGE ? status : EXIT_USAGE;
}

// A subcommand completes the words that it would parse.
static int complete(const struct argp *argp, int argc, char **argv) {
  const char *typed = argv[argc - 1];
  int first = 1;
  while (first < argc - 1 && argv[first][0] == '-')
    first++;
  if (first < argc - 1) {
    const struct command *command = find(argv[first]);
    argv[first - 1] = argv[first];
    argv[first] = "--complete";
    return command ? command->run(argc - first + 1, argv + first - 1) : 0;
  }
  if (*typed == '-')
    completion_print(argp, argc, argv, true);
#define OFFER(name, text) completion_offer(typed, #name, text);
  RSAN_COMMANDS(OFFER)
#undef OFFER
  return 0;
}

int main(int argc, char **argv) {
  static const struct argp argp = {
      .parser = parse_option, .args_doc = "COMMAND [ARGUMENT...]", .doc = description};
  struct arguments arguments = {0};
  occupy_standard_streams();
  argp_err_exit_status = EXIT_USAGE;
  if (completion_asked(&argc, &argv))
    return complete(&argp, argc, argv);
  if (arguments_parse(&argp, argc, argv, ARGP_IN_ORDER, &arguments) != 0)
    return EXIT_USAGE;
  static char name[64];
  snprintf(name, sizeof name, "rsan %s", arguments.command->name);
  program_invocation_short_name = name; // which messages begin with
  argv[arguments.first] = name;
  return end_output(arguments.command->run(argc - arguments.first, argv + arguments.first));
}
