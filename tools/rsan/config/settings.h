// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The settings of a project: its file rsan.toml. For one thread.

#ifndef CONFIG_SETTINGS_H
#define CONFIG_SETTINGS_H

#include <stdbool.h>

// The commands that have a table of the same name. Other commands have no settings, but [options].
#define CONFIG_COMMANDS(X) X(run) X(check) X(report) X(confirm) X(fix)

// Reads FILE; NULL: the rsan.toml of the current folder, else of the nearest folder above it that
// is in the same repository, which begins where .git is; "none": no file. Returns false, after a
// message that begins with `program`, if it cannot be read or has a fault.
bool settings_read(const char *program, const char *file);

// The file that was read; NULL: none.
const char *settings_file(void);

// The options of the runtime in RSAN_OPTIONS' form, for free(): those that the environment does not
// have. "": none.
char *settings_options(void);

// Gives the options of the runtime to the environment, and the command its defaults
// (defaults.h); `show` as there.
void settings_apply(const char *command, void (*show)(char *const *words));

#endif
