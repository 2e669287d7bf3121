// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "past.h"

#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b) {
  unsigned left = ((const struct past_line *)a)->run.number,
           right = ((const struct past_line *)b)->run.number;
  return left < right ? -1 : left > right;
}

static bool add_line(struct past *past, const char *line) {
  const char *tokens[HISTORY_TOKENS];
  size_t count;
  struct past_line *at = &past->at[past->count++];
  return history_read(line, &at->run, tokens, &count, &at->tree);
}

bool past_read(struct past *past, char *text, unsigned first, unsigned last, char *reason,
               size_t size) {
  size_t lines = 0, wanted = (size_t)last - first + 1;
  char *rest = NULL;
  for (const char *at = text; (at = strchr(at, '\n')); at++)
    lines++;
  *past = (struct past){.at = calloc(lines + 1, sizeof *past->at)};
  if (!past->at)
    abort();
  for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
    if (!add_line(past, line)) {
      snprintf(reason, size, "runs.jsonl:%zu is no line about a run", past->count);
      return false;
    }
  qsort(past->at, past->count, sizeof *past->at, compare);
  for (size_t i = 0; i < past->count; i++)
    if (past->count != wanted || past->at[i].run.number != first + i) {
      snprintf(reason, size, "runs.jsonl has %zu lines, not one for each run from %u to %u",
               past->count, first, last);
      return false;
    }
  if (past->count != wanted)
    snprintf(reason, size, "runs.jsonl is empty");
  return past->count == wanted;
}

void past_free(struct past *past) {
  for (size_t i = 0; i < past->count; i++)
    cJSON_Delete(past->at[i].tree);
  free(past->at);
  *past = (struct past){0};
}
