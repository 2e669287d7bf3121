// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The file manifest.json in a unit's archive: a JSON object with these members.
//   rsan_unit   1, the version of this format
//   version     of RSan
//   first, last   numbers of the runs, and so their seeds; all of them were made
//   host, attempt, begun   where; which try of this unit it was; seconds since 1970
//   machine, libc, kernel  of the host
//   program     {"path", "sha256", "build_id"}
//   command, directory, RSAN_OPTIONS, TSAN_OPTIONS   as run/asked.h has them
//   schedule ("off": none), weak, timeout   the options of the runs
//   tries       sha256 of the lines that say what its runs were (tries.h), if they were tries
//   folder      where the runs were made: paths in reports begin so
//   checked     what was (run/checked.h): the sum of the facts' bits
//   runtime_seen, remarks, dropped_remarks, unmatched   what the logs say beside reports

#ifndef UNIT_MANIFEST_H
#define UNIT_MANIFEST_H

#include <cjson/cJSON.h>

#include "program.h"
#include "run/runs.h"

enum { MANIFEST_VERSION = 1 };

struct unit {
  struct run_plan plan; // plan.earlier + 1 is the first run, plan.iterations the last one
  struct program program;
  const char *tries; // digest; NULL: they are none
  unsigned attempt;
  double begun; // seconds since 1970
};

// The text of the manifest of runs that have been made; for free().
char *manifest_text(const struct unit *unit, const struct runs *runs);

struct manifest {
  cJSON *json; // owned
  unsigned first, last, attempt;
  const char *host;
};

// Takes the text of a manifest. False with a line in REASON: it is none, or of another version. To
// be freed in any case.
bool manifest_read(struct manifest *manifest, const char *text, char *reason, size_t size);
void manifest_free(struct manifest *manifest);

// Could the runs of both units belong to one `rsan run'? Not with another build of the program,
// another RSan, other options or other arguments: false with a line in REASON.
bool manifest_agrees(const cJSON *wanted, const cJSON *json, char *reason, size_t size);

// The facts of run/checked.h that it names; 0 for a manifest of an RSan that names none.
unsigned manifest_checked(const cJSON *json);

// What the manifest says beside the runs, for the records of all of them.
void manifest_add_remarks(const cJSON *json, struct records *records);

#endif
