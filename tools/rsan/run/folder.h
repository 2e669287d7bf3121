// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef FOLDER_H
#define FOLDER_H

#include <stdbool.h>

// The functions below that return a folder lock it until the process ends, because two processes
// would overwrite each other's files in it. NAME begins their messages.

// Returns the absolute path of the folder OUTPUT for new runs, and creates it if necessary; it must
// not contain runs. Returns a new temporary folder if OUTPUT is NULL. The path is in static memory.
// Returns NULL after a message on failure.
const char *run_folder_make(const char *name, const char *output);

// The temporary folder stays after the command. Otherwise it is removed when the process ends
// (file/temporary.h). Call this before the command prints the path of anything in the folder.
void run_folder_keep(void);

// Keeps the folder, because the caller prints NAMED, the path of something in it. Returns NAMED.
const char *run_folder_named(const char *named);

// What --resume and --trust ask for.
struct resumed {
  const char *folder; // the argument of --resume; NULL: none
  bool trusts;        // run the folder's command even if it is not on the list (trust/list.h)
};

enum { KEY_RESUME = 1024, KEY_TRUST };

// The two options for argp.
#define RESUME_OPTIONS                                                                             \
  {"resume", KEY_RESUME, "DIR", 0, "continue what DIR holds, without a COMMAND", 0},               \
      {"trust", KEY_TRUST, NULL, 0, "with --resume: accept a DIR of others", 0}

// Stores the option if KEY is one of the two; otherwise returns false.
bool run_resume_take_option(int key, const char *text, struct resumed *resumed);

// Returns the absolute path of a folder that an earlier command has written, in static memory. Its
// file KEPT says what that command was asked for (asked.h). Returns NULL after a message if there
// is no such file (the message says that there is MISSING, as "nothing", to resume), if the
// file is damaged, or if its command is not trusted.
const char *run_folder_resume(const char *name, const struct resumed *resumed, const char *kept,
                              const char *missing);

#endif
