// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What count_repairs=1 says of the rules of simulate=: over all processes of all runs, for each
// line of the file.

#ifndef COUNTS_H
#define COUNTS_H

#include <stdbool.h>
#include <stddef.h>

struct rule_count {
  unsigned line;
  unsigned long long executions; // in all runs
  unsigned long callers;         // the most that one process had
  char *refused;                 // why its accesses cannot have the order, NULL: they can
};

struct counts {
  struct rule_count *at;
  size_t count;
};

// True if the line is one of them.
bool counts_read(struct counts *counts, const char *line);

// NULL if nothing is known of the rule.
const struct rule_count *counts_of(const struct counts *counts, unsigned line);

void counts_free(struct counts *counts);

#endif
