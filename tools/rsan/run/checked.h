// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether anything was checked: a command that has nothing to say because it has seen nothing does
// not end like one that has looked. What the processes of runs note is in the file `checked' of the
// folder of the runs (compiler-rt-patch/src/common/rsan_checked_file.h).

#ifndef RUN_CHECKED_H
#define RUN_CHECKED_H

#include <argp.h>
#include <stdbool.h>
#include <stdio.h>

#include "records.h"

// The exit status of commands that would end with 0, if nothing was checked.
enum { EXIT_EMPTY = 3 };

// The option of these commands.
enum { KEY_ALLOW_EMPTY = 0x1000 };
#define ALLOW_EMPTY_OPTION                                                                         \
  {"allow-empty", KEY_ALLOW_EMPTY, NULL, 0, "do not end with 3 where nothing was checked", 0}

// Is KEY that of the option? It is taken.
bool checked_take_option(int key, bool *allowed);

// Makes the file, if it is not there. False with errno set.
bool checked_make(const char *folder);

// The same, and nothing is noted in it any more.
bool checked_clear(const char *folder);

// The facts that are in the file, a bit each (1 << RSAN_CHECKED_...); 0 if there is no file.
unsigned checked_read(const char *folder);

// Adds facts that are known from elsewhere. False with errno set.
bool checked_add(const char *folder, unsigned facts);

void checked_remove(const char *folder);

// What the runs with these records lack, as a line says it; NULL: an atomic access was checked.
const char *checked_lack(const struct records *records);

// Was instrumented code executed, whose data races would have been found?
bool checked_code(const struct records *records);

// Prints the line behind NAME: if something is lacking. NAME may be "". Returns whether it is.
bool checked_print(const struct records *records, const char *name, bool allowed, FILE *to);

// The status of a command that ends with STATUS otherwise.
int checked_status(const struct records *records, bool allowed, int status);

#endif
