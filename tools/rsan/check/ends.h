// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Findings that are no reports of the runtime's: how executions ended. They become records
// (docs/guide/FORMATS.md) like the others, so that `rsan report' has them in all formats.

#ifndef CHECK_ENDS_H
#define CHECK_ENDS_H

#include <stdbool.h>

#include "run/records.h"
#include "unit/progress.h"

// What the finding is, in words, in static memory: "killed by signal 6 (Aborted)", "report".
const char *ends_text(const struct finding *finding);

// For each finding that comes after departures: writes the accesses that departed, as weak_file=
// takes them, to SCHEDULE.places. False with errno set.
bool ends_write_places(const struct progress *progress);

// Is the record of the finding one that a baseline has? `program`: as for ends_add. An execution
// with reports has no record of its own: are all records known?
bool ends_is_known(const struct finding *finding, const char *program,
                   const struct records *records);

// Adds a record for each execution that was killed, failed, timed out or went round for ever.
// `program`: the command's name. Writes them to FOLDER/ends.jsonl; false with errno set.
bool ends_add(const struct progress *progress, const char *program, const char *folder,
              struct records *records);

#endif
