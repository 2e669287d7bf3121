// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From archives to what a user sees of them.

#ifndef MERGE_RESULT_H
#define MERGE_RESULT_H

#include <stdbool.h>
#include <stddef.h>

#include "report/formats.h"

struct merge_request {
  const char *name;       // begins messages
  const char *output;     // the folder; NULL: a temporary one
  const char *made;       // the same folder, which is there and holds no runs; else NULL
  const char *symbolizer; // NULL: the usual one
  report_writer *format;  // NULL: a summary
  uint64_t most_unpacked; // bytes of the files of an archive; 0: any number
  bool allow_empty;       // it is no failure if nothing was checked
  bool verbose;           // each report is printed, however many there are
  bool keep;              // also folders of runs that no report is of
  const char **folders;   // where modules are looked for first; owned
  size_t folder_count;
  char *const *archives; // NULL at the end
};

void request_add_folder(struct merge_request *request, const char *folder);

// Merges, prints, and says on standard error which archives were refused or left out. The exit
// status.
int merge_archives(const struct merge_request *request);

#endif
