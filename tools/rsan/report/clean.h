// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reports come from other machines, from logs and from programs: their texts are input. They are
// cleaned once, where a record is read, before any of them reaches a terminal, a file or a shell.

#ifndef CLEAN_H
#define CLEAN_H

#include <cjson/cJSON.h>
#include <stdbool.h>

enum { CLEAN_LONGEST = 16384 }; // bytes of a text; what is longer is cut off, and ends with "..."

// In all texts of the record:
//   - control characters, bidirectional marks and what is no UTF-8 are escaped (printable.h)
//   - a `token` that is not 1 to 64 letters, digits, dots, - and _ is left out
//   - a line for a shell (`repeat`, `command`) that is more than one command is left out
// Has it changed anything? Ends the process if there is no memory.
bool record_clean(cJSON *record);

#endif
