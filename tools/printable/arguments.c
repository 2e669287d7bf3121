// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "arguments.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "completion.h"
#include "defaults.h"
#include "printable.h"

static ssize_t write_escaped(void *stream, const char *text, size_t length) {
  char *copy = strndup(text, length);
  if (!copy)
    return 0;
  put_printable_lines(copy, stream);
  free(copy);
  return (ssize_t)length;
}

// Ends the process if an option is misspelt and similar to another one. Otherwise argp's own
// message is as good.
static void refuse_misspelt(const struct argp *argp, int argc, char **argv, unsigned flags) {
  struct similar similar;
  const char *name = argv[0],
             *word = completion_unknown(argp, argc, argv, flags & ARGP_IN_ORDER, &similar);
  if (!word)
    return;
  fprintf(stderr, "%s: unrecognized option '%s'; did you mean '--%s'?\n", name, word, similar.best);
  fprintf(stderr, "Try `%s --help' or `%s --usage' for more information.\n", name, name);
  exit(argp_err_exit_status);
}

error_t arguments_parse(const struct argp *argp, int argc, char **argv, unsigned flags,
                        void *input) {
  if (completion_asked(&argc, &argv)) {
    completion_print(argp, argc, argv, flags & ARGP_IN_ORDER);
    exit(0);
  }
  static char room[1 << 16]; // a message comes in one piece
  FILE *own = stderr;
  FILE *escaping = fopencookie(own, "w", (cookie_io_functions_t){.write = write_escaped});
  if (escaping) {
    setvbuf(escaping, room, _IOFBF, sizeof room);
    stderr = escaping; // which exit() flushes
  }
  // The messages begin with the name of the program, not with the path that it was called by.
  char **own_arguments = argv, *path = argv[0], *slash = strrchr(path, '/');
  argv[0] = slash ? slash + 1 : path;
  refuse_misspelt(argp, argc, argv, flags);
  defaults_apply(argp, &argc, &argv, flags & ARGP_IN_ORDER);
  error_t error = argp_parse(argp, argc, argv, flags, NULL, input);
  defaults_accepted();
  own_arguments[0] = path;
  stderr = own;
  if (escaping)
    fclose(escaping);
  return error;
}

void arguments_error(const struct argp_state *state, const char *format, ...) {
  va_list values;
  char *text = NULL;
  va_start(values, format);
  int length = vasprintf(&text, format, values);
  va_end(values);
  char *escaped = length < 0 ? NULL : printable(text);
  argp_error(state, "%s", escaped ? escaped : format);
  free(escaped);
  free(text);
}

char **arguments_command(struct argp_state *state) {
  char **command = state->argv + state->next - 1;
  state->next = state->argc;
  return command;
}
