// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Says whether a source file is the one that a report's program was built from. The program's line
// tables have a checksum of each file (DWARF 5), or its text (-gembed-source). If the file has
// changed since, its lines are not the lines that the report means.

#ifndef SOURCE_H
#define SOURCE_H

#include <cjson/cJSON.h>
#include <stddef.h>

#include "module.h"

enum source_state {
  SOURCE_UNKNOWN, // the program is not there, or has neither checksum nor text
  SOURCE_BUILT,
  SOURCE_CHANGED,
  SOURCE_REBUILT, // where the report says that the program is, there is another build of it
};

// A cache of programs and source files, by which each is read once.
struct sources;
struct sources *sources_new(const struct modules *modules);
void sources_free(struct sources *sources);

// The state of the file of the frame, which contains the text. The frame is one of the record's.
enum source_state sources_check(struct sources *sources, const cJSON *record, const cJSON *frame,
                                const char *text, size_t size);

#endif
