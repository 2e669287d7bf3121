// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arguments that a file of settings gives where the command line does not have them. For one
// thread.

#ifndef DEFAULTS_H
#define DEFAULTS_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>

// An option by its long name. Its values: for an option without an argument "1" or "0", as
// `boolean` says; else each makes the option be given once. NULL is at the end.
struct argument_default {
  const char *name;
  char **values;
  bool boolean; // the value is "1" or "0", and was not written as a text or a number
  unsigned line;
};

// Nothing in it is copied. Names of files in values are relative to `folder`; "" is the current
// one.
struct defaults {
  const char *file, *folder;
  const struct argument_default *options;
  size_t count;
  char **command; // what stands for COMMAND; NULL: nothing
  // If it is not NULL, defaults_apply() passes the resulting words to it, the program first, and
  // ends the process with 0.
  void (*show)(char *const *words);
};

// The next call of arguments_parse() uses them.
void defaults_set(const struct defaults *defaults);

// Adds the defaults to the arguments, for arguments_parse(). The value of an option is a file name
// if the option's table calls its argument FILE or DIR. It adds nothing if --resume is given,
// because that continues with stored arguments, nor for --help and the like. If a default names no
// option, or has a value that the option does not take, it prints a message and ends the process
// with argp's status of wrong usage.
void defaults_apply(const struct argp *argp, int *argc, char ***argv, bool in_order);

// The arguments are right. Until then the end of the process with the status of wrong usage says
// which of them were defaults.
void defaults_accepted(void);

#endif
