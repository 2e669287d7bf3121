// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "changed.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/shell.h"
#include "need.h"
#include "printable.h"
#include "record.h"

struct range {
  char *file; // below the repository's top; owned
  uint64_t first, last;
};

struct changes {
  const char *revision;
  char *top; // "/path/of/the/repository"; owned
  struct range *at;
  size_t count;
};

// (A user's settings must not change the output.)
static char *git_line(const char *revision) {
  const char *const words[] = {"git",
                               "-c",
                               "core.quotePath=false",
                               "-c",
                               "diff.relative=false",
                               "diff",
                               "--no-ext-diff",
                               "--no-color",
                               "--no-renames",
                               "--unified=0",
                               "--src-prefix=a/",
                               "--dst-prefix=b/",
                               revision,
                               "--",
                               NULL};
  char *diff = shell_line(words), *line = NULL;
  if (asprintf(&line, "{ git rev-parse --show-toplevel && %s; } 2>/dev/null", diff) < 0)
    abort();
  free(diff);
  return line;
}

static void add_range(struct changes *changes, const char *file, uint64_t first, uint64_t last) {
  changes->at = need(realloc(changes->at, (changes->count + 1) * sizeof *changes->at));
  changes->at[changes->count++] = (struct range){need(strdup(file)), first, last};
}

// Reads the number behind the sign, and how many lines there are: "@@ -40,2 +41,3 @@".
static bool read_range(const char *line, const char *sign, uint64_t *first, uint64_t *count) {
  const char *begin = strstr(line, sign);
  char *end;
  if (!begin)
    return false;
  *first = strtoull(begin + strlen(sign), &end, 10);
  *count = *end == ',' ? strtoull(end + 1, NULL, 10) : 1;
  return true;
}

// Adds the lines of the new file; if there are none, those beside the gap, which is behind the
// line. Returns how many lines of text follow.
static uint64_t take_hunk(struct changes *changes, const char *file, const char *line) {
  uint64_t old, gone, first, count;
  if (!read_range(line, " -", &old, &gone) || !read_range(line, " +", &first, &count))
    return 0;
  if (*file)
    add_range(changes, file, first, count ? first + count - 1 : first + 1);
  return gone + count;
}

static void take_diff(struct changes *changes, FILE *diff) {
  char *line = NULL, file[PATH_MAX] = "";
  size_t size = 0;
  uint64_t text = 0; // lines of a hunk that are still to come
  while (getline(&line, &size, diff) > 0) {
    line[strcspn(line, "\n")] = '\0';
    if (text)
      text -= *line != '\\'; // "\ No newline at end of file"
    else if (!changes->top)
      changes->top = need(strdup(line));
    else if (strncmp(line, "+++ b/", 6) == 0)
      snprintf(file, sizeof file, "%.*s", (int)strcspn(line + 6, "\t"), line + 6);
    else if (strncmp(line, "+++ ", 4) == 0)
      *file = '\0'; // it is gone
    else if (strncmp(line, "@@ ", 3) == 0)
      text = take_hunk(changes, file, line);
  }
  free(line);
}

struct changes *changes_read(const char *revision) {
  struct changes *changes = need(calloc(1, sizeof *changes));
  char *line = git_line(revision);
  FILE *diff = *revision && *revision != '-' ? popen(line, "r") : NULL;
  free(line);
  changes->revision = revision;
  if (diff)
    take_diff(changes, diff);
  if (diff && pclose(diff) == 0)
    return changes;
  print_line(stderr, "rsan: --changed-since %s: git has no such revision for this folder",
             revision);
  changes_free(changes);
  return NULL;
}

bool changes_are_known(const char *revision) {
  struct changes *changes = changes_read(revision);
  changes_free(changes);
  return changes;
}

void changes_free(struct changes *changes) {
  if (!changes)
    return;
  for (size_t i = 0; i < changes->count; i++)
    free(changes->at[i].file);
  free(changes->at);
  free(changes->top);
  free(changes);
}

const char *changes_revision(const struct changes *changes) {
  return changes->revision;
}

// -- records --

static bool ends_with(const char *path, const char *file) {
  size_t length = strlen(path), tail = strlen(file);
  return length > tail && path[length - tail - 1] == '/' && strcmp(path + length - tail, file) == 0;
}

// A file that is not here was built elsewhere, in another copy of the repository.
static bool is_file(const struct changes *changes, const char *path, const char *real,
                    const char *file) {
  size_t top = strlen(changes->top);
  if (*real)
    return strncmp(real, changes->top, top) == 0 && real[top] == '/' &&
           strcmp(real + top + 1, file) == 0;
  return strcmp(path, file) == 0 || (*path == '/' && ends_with(path, file));
}

static bool is_changed(const struct changes *changes, const cJSON *frame) {
  char real[PATH_MAX];
  const char *path = record_text(frame, "file");
  uint64_t line = record_number(frame, "line");
  if (!path || !line)
    return false;
  if (!realpath(path, real))
    *real = '\0';
  for (size_t i = 0; i < changes->count; i++)
    if (changes->at[i].first <= line && line <= changes->at[i].last &&
        is_file(changes, path, real, changes->at[i].file))
      return true;
  return false;
}

static bool has_changed(const struct changes *changes, const cJSON *record) {
  const cJSON *step;
  for (size_t i = 0; i < record_stack_count(record); i++)
    if (is_changed(changes, record_site(record, i)))
      return true;
  cJSON_ArrayForEach(step, record_list(record_object(record, "cycle"), "steps")) {
    if (is_changed(changes, record_place(step)))
      return true;
  }
  return false;
}

void changes_mark(const struct changes *changes, cJSON *record) {
  cJSON_DeleteItemFromObjectCaseSensitive(record, "changed");
  if (changes && has_changed(changes, record))
    cJSON_AddTrueToObject(record, "changed");
}
