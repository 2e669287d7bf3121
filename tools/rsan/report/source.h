// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Is a source file the one that a report's program was built from? The line tables of the program
// have a checksum of each file (DWARF 5), or its text (-gembed-source). Lines of another text would
// not be those that the report is about.

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

// What is known of programs and files, so that each is read once.
struct sources;
struct sources *sources_new(const struct modules *modules);
void sources_free(struct sources *sources);

// The state of the file of the frame, which contains the text. The frame is one of the record's.
enum source_state sources_check(struct sources *sources, const cJSON *record, const cJSON *frame,
                                const char *text, size_t size);

#endif
