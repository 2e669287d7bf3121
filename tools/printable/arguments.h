// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// argp, whose messages repeat the arguments as they are: here control characters in them are
// escaped.

#ifndef ARGUMENTS_H
#define ARGUMENTS_H

#include <argp.h>

// argp_parse, or the answer to a shell that completes a word (completion.h). What it, getopt and
// the parsers write to standard error goes through put_printable_lines.
error_t arguments_parse(const struct argp *argp, int argc, char **argv, unsigned flags,
                        void *input);

// argp_error, and ends of lines are escaped as well.
__attribute__((format(printf, 2, 3))) void arguments_error(const struct argp_state *state,
                                                           const char *format, ...);

// On ARGP_KEY_ARG: this argument and all that follow it, which are a command's. NULL at their end.
char **arguments_command(struct argp_state *state);

#endif
