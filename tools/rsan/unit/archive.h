// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The archive of a unit, tar and gzip:
//   manifest.json   what was asked for, of which program, and where (manifest.h)
//   runs.jsonl      a line for each run (run/history.h)
//   reports.jsonl, reports.txt   each report of the unit once, as `rsan run' writes them
//   run-NNNN/...    output, logs, schedule and core of a run that failed, or that a report is of
// The manifest comes first.

#ifndef UNIT_ARCHIVE_H
#define UNIT_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>

// Writes the archive of the folder to OUTPUT as file/output.h has it, so that there is a whole
// archive or what was there before; "-": standard output. False with a line in REASON.
bool archive_write(const char *folder, const char *manifest, const char *output, char *reason,
                   size_t size);

#endif
