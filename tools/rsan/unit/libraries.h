// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef UNIT_LIBRARIES_H
#define UNIT_LIBRARIES_H

#include "program.h"

// For a program of which an exploration makes many executions, here or elsewhere. The loader finds
// all symbols at once (LD_BIND_NOW). The folders of the program's libraries are named in
// LD_LIBRARY_PATH, unless another library would be found so. Else the loader asks its cache, which
// it maps while it loads: then the addresses of libraries depend on how many the system has.
void libraries_pin(const struct program *program);

#endif
