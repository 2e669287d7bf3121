// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What has failed in a run, from how it ended, what it has printed, and what its processes have
// reported. It is not asked here whether a run without departures fails, too.

#ifndef CONFIRM_OUTCOME_H
#define CONFIRM_OUTCOME_H

#include <stdbool.h>
#include <stddef.h>

#include "run/records.h"
#include "run/runs.h"

// The stronger evidence first.
enum failure_kind {
  FAILURE_USE_AFTER_FREE,
  FAILURE_CRASH,
  FAILURE_ASSERTION,
  FAILURE_EXIT,
  FAILURE_HANG,
  FAILURE_REPORT, // a data race, or another report that is no violation
  FAILURE_KINDS
};

struct failure {
  enum failure_kind kind;
  char *key;  // failures of one kind are alike if this is the same: a status, a report's token
  char *text; // `assertion "x == 1" at q.c:12`
};

struct outcome {
  struct failure *at; // owned, and so are the texts
  size_t count;
};

// RECORDS are those of this run alone, OUTPUT is the file with its output. BEFORE: reports that
// came before the first departure of a run that has some, NULL for a run without.
void outcome_read(struct outcome *outcome, struct outcome *before, const struct run_result *result,
                  const struct records *records, const char *output);

// Adds copies of all of them.
void outcome_add_all(struct outcome *outcome, const struct outcome *others);

// Appends a copy, unless there is one like it.
void outcome_add(struct outcome *outcome, enum failure_kind kind, const char *key,
                 const char *text);

// Is there a failure like that one?
bool outcome_has(const struct outcome *outcome, const struct failure *failure);

const char *failure_name(enum failure_kind kind);
bool failure_find(const char *name, enum failure_kind *kind);

void outcome_free(struct outcome *outcome);

#endif
