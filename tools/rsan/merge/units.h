// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Selects the archives to merge so that each run counts once, and sorts them by their runs,
// whatever the order in which they were given.

#ifndef MERGE_UNITS_H
#define MERGE_UNITS_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

struct listed_unit {
  char *path, *host;
  unsigned first, last, attempt;
  size_t build; // units with the same one agree (manifest_agrees)
};

struct units {
  struct listed_unit *at; // sorted by first run; of one unit by attempt, host and path
  size_t count;
  cJSON **builds; // a manifest of each
  size_t *sizes;  // how many units are of it
  size_t build_count;
  unsigned refused; // archives that are none, each said on standard error
};

// Reads the manifests of these archives, NULL at the end. NAME begins messages.
void units_list(struct units *units, char *const *paths, const char *name);

// The build that most units are of; of several the one of the first run. NULL: there are no units.
const cJSON *units_build(const struct units *units, size_t *index);

void units_free(struct units *units);

#endif
