// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan COMMAND ...: finds the subcommand. rsan help [COMMAND]: what --help prints.

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
#include "config/settings.h"
#include "printable.h"
#include "similar.h"

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
    "Work with programs that rsan-clang has built."
    "\v"
    "Commands:\n" RSAN_COMMANDS(LINE)
        LINE(help,
             "tell more about a command") "\n"
                                          "`rsan help COMMAND' and `man rsan-COMMAND' tell more.\n";

static const struct command *find(const char *name) {
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
    if (strcmp(commands[i].name, name) == 0)
      return &commands[i];
  return NULL;
}

// rsan help COMMAND is rsan COMMAND --help, and rsan help is rsan --help.
static const char help[] = "help";

static const struct argp_option options[] = {
    {"config", 'c', "FILE", 0, "take settings from FILE, not from rsan.toml; none: from none", 0},
    {NULL, 0, NULL, 0, NULL, 0},
};

struct arguments {
  const char *config; // NULL: the project's own
  const struct command *command;
  int first;      // index of the subcommand's name
  bool asks_help; // of the command, or of rsan itself if there is none
};

static void take_command(struct argp_state *state, const char *name, struct arguments *arguments) {
  arguments->command = find(name);
  if (arguments->command)
    return;
  struct similar similar = {.typed = name};
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
    similar_offer(&similar, commands[i].name);
  similar_offer(&similar, help);
  if (similar.best)
    arguments_error(state, "there is no command %s; did you mean %s?", name, similar.best);
  else
    arguments_error(state, "there is no command %s", name);
}

static error_t parse_option(int key, char *text, struct argp_state *state) {
  struct arguments *arguments = state->input;
  switch (key) {
  case 'c':
    arguments->config = text;
    return 0;
  case ARGP_KEY_ARG:
    if (!arguments->asks_help && strcmp(text, help) == 0) {
      arguments->asks_help = true;
      return 0;
    }
    take_command(state, text, arguments);
    if (arguments->asks_help && state->next < state->argc)
      arguments_error(state, "help is about one COMMAND");
    arguments->first = state->next - 1;
    state->next = state->argc; // the rest is the subcommand's
    return 0;
  case ARGP_KEY_NO_ARGS:
    arguments_error(state, "which COMMAND?");
    return 0;
  case ARGP_KEY_END:
    if (arguments->asks_help && !arguments->command)
      argp_state_help(state, stdout, ARGP_HELP_STD_HELP);
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

// Ignores EPIPE, as a reader such as head may close the pipe early, and a standard output that was
// never open (EBADF).
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
    first += 1 + completion_takes_next(argp, argv[first]);
  bool asks_help = first < argc - 1 && strcmp(argv[first], help) == 0;
  if (first < argc - 1 && !asks_help) {
    const struct command *command = find(argv[first]);
    argv[first - 1] = argv[first];
    argv[first] = "--complete";
    return command ? command->run(argc - first + 1, argv + first - 1) : 0;
  }
  if (*typed == '-')
    completion_print(argp, argc, argv, true);
#define OFFER(name, text) completion_offer(typed, #name, text);
  if (!asks_help || first == argc - 2) {
    RSAN_COMMANDS(OFFER)
  }
#undef OFFER
  if (!asks_help)
    completion_offer(typed, help, "tell more about a command");
  return 0;
}

int main(int argc, char **argv) {
  static const struct argp argp = {.options = options,
                                   .parser = parse_option,
                                   .args_doc = "COMMAND [ARGUMENT...]",
                                   .doc = description};
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
  if (arguments.asks_help)
    return end_output(arguments.command->run(2, (char *[]){name, "--help", NULL}));
  // The example of rsan demo is no part of the project.
  if (arguments.command->run != command_demo) {
    if (!settings_read(name, arguments.config))
      return EXIT_USAGE;
    if (arguments.command->run != command_config)
      settings_apply(arguments.command->name, NULL);
  }
  argv[arguments.first] = name;
  return end_output(arguments.command->run(argc - arguments.first, argv + arguments.first));
}
