// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef FOLDER_H
#define FOLDER_H

#include <stdbool.h>

// Both lock the folder until the process ends: what two processes write there would be mixed up.

// The absolute path of a folder for runs: OUTPUT, made if need be, which must not hold runs
// already, or a new temporary one if it is NULL. In static memory; NULL after a message by NAME.
const char *run_folder_make(const char *name, const char *output);

// From here on a signal that ends the process leaves the temporary folder, as the command is about
// to name it. Until then, and while nobody else takes SIGINT, SIGTERM and SIGHUP, they remove it.
void run_folder_keep(void);

// A folder in which runs go on that were begun before.
struct resumed {
  const char *folder; // as the user named it
  bool trusts;        // --trust: its command is run whoever wrote the file
};

enum { KEY_RESUME = 1024, KEY_TRUST };

// WHAT: what --resume goes on with.
#define RESUME_OPTIONS(what)                                                                       \
  {"resume", KEY_RESUME, "DIR", 0, "in place of COMMAND: " what, 0},                               \
      {"trust",                                                                                    \
       KEY_TRUST,                                                                                  \
       NULL,                                                                                       \
       0,                                                                                          \
       "with --resume: run the command though DIR may be of another machine or user",              \
       0}

// False: it is neither of the two options.
bool run_resume_take_option(int key, const char *text, struct resumed *resumed);

// The absolute path of the folder, of which it has the file KEPT (asked.h). In static memory; NULL
// after a message by NAME, as that there is MISSING ("nothing") to go on with, or that the file is
// damaged, or that its command is not trusted.
const char *run_folder_resume(const char *name, const struct resumed *resumed, const char *kept,
                              const char *missing);

#endif
