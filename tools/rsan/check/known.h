// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A baseline (report/baseline.h) names findings that the user knows of. `rsan check` lists them,
// and does not fail because of them. It does not call a program with such a finding proved, because
// the finding is still there.

#ifndef CHECK_KNOWN_H
#define CHECK_KNOWN_H

#include <stdbool.h>
#include <stddef.h>

#include "report/baseline.h"
#include "run/records.h"
#include "unit/progress.h"

struct known {
  struct baseline baseline;
  bool asked; // there is one
};

// Marks the records that the baseline has. Call this once those of ends.h are among them.
void known_mark(struct known *known, struct records *records);

// The number of findings that are not known. `program`: the command's name, as for ends_add.
size_t known_fresh(const struct progress *progress, const struct records *records,
                   const char *program);

// The number of violations that are not known.
size_t known_fresh_violations(const struct records *records);

// These print nothing without a baseline. The first one prints the records that are known, a line
// each, and what was not seen in so many executions, the other one how many are known and new.
void known_print(const struct known *known, const struct records *records,
                 unsigned long long executions);
void known_print_counts(const struct known *known, const struct records *records);

#endif
