// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reports of one unit, each of which it has once.

#ifndef MERGE_REPORTS_H
#define MERGE_REPORTS_H

#include "content.h"
#include "merge.h"

struct unit_reports {
  struct unit_report {
    char *key;            // which the unit's runs name
    struct record record; // its own token, and paths in the unit's folder; owned
    cJSON *object;        // of a record, NULL of a text
    size_t merged;        // place in the merged records
  } *at;
  size_t count, room;
};

// Takes the texts. False with a line in REASON. To be freed in any case.
bool unit_reports_read(struct unit_reports *reports, struct merge *merge,
                       const struct content *content, char *reason, size_t size);

// NULL: there is no such report.
const struct unit_report *unit_reports_find(const struct unit_reports *reports, const char *key);

// Adds them to the merged records. FOLDER: where the unit says that its runs were made; paths that
// begin so are those of the merged folder then.
void unit_reports_add(struct unit_reports *reports, struct merge *merge, const char *folder);

void unit_reports_free(struct unit_reports *reports);

#endif
