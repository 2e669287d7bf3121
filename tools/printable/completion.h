// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the scripts of the shells ask for in packaging/completion: `PROGRAM --complete WORD...`
// prints what may stand in place of the last of the words that a user has typed, a line each:
//   --jobs<TAB>run so many at once
//   :files               and names of files
// The answers come from argp's own tables.

#ifndef COMPLETION_H
#define COMPLETION_H

#include <argp.h>
#include <stdbool.h>

#include "similar.h"

// Is the program asked so? If it is, the words become its arguments.
bool completion_asked(int *argc, char ***argv);

// The answer for a program of these options. IN_ORDER: what follows the first operand belongs to
// another command.
void completion_print(const struct argp *argp, int argc, char **argv, bool in_order);

// The first of the words that is a long option which the program does not have, if one that it has
// is similar to it (similar.h); `similar->best` is that one's name. Else NULL.
const char *completion_unknown(const struct argp *argp, int argc, char **argv, bool in_order,
                               struct similar *similar);

// Which option a word such as --jobs=2, --job or -j2 is; NULL: none, or more than one.
const struct argp_option *completion_option(const struct argp *argp, const char *word);
// Returns whether the next word is the argument of the option that `word` is.
bool completion_takes_next(const struct argp *argp, const char *word);

// One line of an answer, if the word that has been typed is the beginning of it.
void completion_offer(const char *typed, const char *word, const char *text);

#endif
