// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef UNIT_LIBRARIES_H
#define UNIT_LIBRARIES_H

#include "program.h"

// Sets the environment for a program that an exploration executes many times, here or elsewhere.
// LD_BIND_NOW: the loader finds all symbols at the start, and not in each execution.
// LD_LIBRARY_PATH: it finds the program's libraries in their folders, unless it would find others
// there. Without that the loader maps /etc/ld.so.cache before the libraries, whose addresses then
// depend on the size of that file.
void libraries_pin(const struct program *program);

#endif
