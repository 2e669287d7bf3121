// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef UNIT_LIBRARIES_H
#define UNIT_LIBRARIES_H

#include "program.h"

// Names the folders of the program's libraries in LD_LIBRARY_PATH. Else the loader asks its cache,
// which it maps for as long as it loads: where libraries come to lie would depend on how many the
// system has installed. Nothing is changed if another library would be found then.
void libraries_pin(const struct program *program);

#endif
