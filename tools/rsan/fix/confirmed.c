// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fix --confirmed: which violations are repaired, and which are left.

#include <cjson/cJSON.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plural.h"
#include "file/line.h"
#include "fix.h"
#include "need.h"
#include "printable.h"
#include "report/confirmed.h"
#include "report/output.h"
#include "report/record.h"

static char *place_of(const cJSON *record) {
  char *place = NULL;
  size_t size = 0;
  FILE *out = need(open_memstream(&place, &size));
  write_site(record_site(record, 0), out);
  fclose(out);
  return place;
}

static void append(char ***list, size_t *count, char *text) {
  *list = need(realloc(*list, (*count + 2) * sizeof **list));
  (*list)[(*count)++] = text;
  (*list)[*count] = NULL;
}

static void take(struct fix *fix, const cJSON *record, size_t *wanted) {
  const char *reason, *token = record_text(record, "token");
  if (!record || !record_is_sound(record, &reason) || !record_is_violation(record) || !token ||
      !record_object(record, "confirmed"))
    return;
  if (record_is_confirmed(record))
    append(&fix->only, wanted, need(strdup(token)));
  else
    append(&fix->left, &fix->left_count, place_of(record));
}

bool fix_read_confirmed(struct fix *fix, const char *path) {
  char *line = NULL;
  size_t size = 0, wanted = 0;
  FILE *file = fopen(path, "r");
  errno = file ? 0 : errno;
  while (file && file_line(&line, &size, file) >= 0) {
    cJSON *record = cJSON_Parse(line);
    take(fix, record, &wanted);
    cJSON_Delete(record);
  }
  bool failed = !file || !feof(file);
  if (failed)
    print_line(stderr, "%s: %s: %s", fix->name, path, strerror(errno));
  else if (!wanted && !fix->left_count)
    print_line(stderr,
               "%s: %s: there is no violation in it that `rsan confirm' has tried: name the "
               "reports.jsonl that it writes",
               fix->name, path);
  if (file)
    fclose(file);
  free(line);
  return !failed && (wanted || fix->left_count);
}

void fix_print_left(const struct fix *fix) {
  if (fix->left_count)
    printf("left, as they are not confirmed: %zu violation%s\n", fix->left_count,
           plural(fix->left_count));
  for (size_t i = 0; i < fix->left_count; i++)
    print_line(stdout, "  %s", fix->left[i]);
}

void fix_free_confirmed(struct fix *fix) {
  for (char **token = fix->only; token && *token; token++)
    free(*token);
  for (size_t i = 0; i < fix->left_count; i++)
    free(fix->left[i]);
  free(fix->only);
  free(fix->left);
}
