// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "counts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PREFIX "ThreadSanitizer: "

static struct rule_count *find(const struct counts *counts, unsigned line) {
  for (size_t i = 0; i < counts->count; i++)
    if (counts->at[i].line == line)
      return &counts->at[i];
  return NULL;
}

static struct rule_count *make(struct counts *counts, unsigned line) {
  struct rule_count *known = find(counts, line);
  if (known)
    return known;
  counts->at = realloc(counts->at, (counts->count + 1) * sizeof *counts->at);
  if (!counts->at)
    abort();
  counts->at[counts->count] = (struct rule_count){.line = line};
  return &counts->at[counts->count++];
}

// "ThreadSanitizer: FILE:LINE: N executions, M callers[: WHY]"; the file may have any name.
bool counts_read(struct counts *counts, const char *line) {
  const char *end = strstr(line, " executions, ");
  unsigned number;
  unsigned long long executions;
  unsigned long callers;
  int length = 0;
  if (strncmp(line, PREFIX, strlen(PREFIX)) != 0 || !end)
    return false;
  const char *at = end;
  for (int colons = 0; at > line && colons < 2; at--)
    colons += at[-1] == ':';
  if (sscanf(at, ":%u: %llu executions, %lu callers%n", &number, &executions, &callers, &length) !=
          3 ||
      !length)
    return false;
  struct rule_count *known = make(counts, number);
  known->executions += executions;
  if (callers > known->callers)
    known->callers = callers;
  if (strncmp(at + length, ": ", 2) == 0 && !known->refused)
    known->refused = strdup(at + length + 2);
  return true;
}

const struct rule_count *counts_of(const struct counts *counts, unsigned line) {
  return find(counts, line);
}

void counts_free(struct counts *counts) {
  for (size_t i = 0; i < counts->count; i++)
    free(counts->at[i].refused);
  free(counts->at);
  *counts = (struct counts){0};
}
