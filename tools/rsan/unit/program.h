// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program of a unit: what tells its build from another, and whether this host can run it.

#ifndef UNIT_PROGRAM_H
#define UNIT_PROGRAM_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "build_id.h"

struct program {
  char path[PATH_MAX];
  char sha256[65];                     // hexadecimal
  char build_id[2 * BUILD_ID_MAX + 1]; // "" if it has none
};

// The file that a command of that name runs, as execvp finds it, with its checksum and build id.
// False with errno set.
bool program_find(const char *name, struct program *program);

// Can it be run here: is it for this kind of machine, and are its loader, its libraries and their
// versions there? Scripts can. False with the reason, a line.
bool program_fits(const struct program *program, char *reason, size_t size);

// The loader that it names, "" if it names none. False: it is a program of another machine.
bool program_loader(const struct program *program, char loader[PATH_MAX]);

// Takes each shared library that it is linked with: its name, and the file that it is; "" if it is
// not here. The libraries of the loader's trace; none for a script or a static program.
void program_libraries(const struct program *program,
                       void (*take)(void *context, const char *name, const char *file),
                       void *context);

#endif
