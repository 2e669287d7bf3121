// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cleans the texts of a record. Reports come from other machines, logs and programs, so their texts
// are not trusted. `rsan report` cleans each record once, after it has symbolized the record and
// before it writes any of it to a terminal, a file or a command line.

#ifndef CLEAN_H
#define CLEAN_H

#include <cjson/cJSON.h>
#include <stdbool.h>

enum { CLEAN_LONGEST = 16384 }; // bytes of a text; a longer one is cut, and ends with "..."

// In all texts of the record
//   - escapes control characters, marks of layout, commands to a CI system and bytes that are not
//   UTF-8 (printable.h),
//   - cuts a text that is longer than CLEAN_LONGEST,
//   - deletes a member whose name is not 1 to 64 letters, digits, ".", "-", "_" and "+",
//   - deletes a `token` unless it has 1 to 64 letters, digits, ".", "-" and "_", and no "-" first,
//   - deletes a `repeat` or `command`, which users paste into a shell, unless it is a single
//   command.
// Returns whether it changed the record. Ends the process if memory runs out.
bool record_clean(cJSON *record);

#endif
