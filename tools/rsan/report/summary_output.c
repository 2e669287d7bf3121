// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes a summary that fits on one screen. It has a title for each group of violations and for
// each other type of report, and below each title as many findings as fit.

#include <stdlib.h>
#include <string.h>

#include "base/plural.h"
#include "classes.h"
#include "complain.h"
#include "confirmed.h"
#include "output.h"
#include "printable.h"
#include "record.h"

// Lines for groups and findings. With what stands above and below them a screen has 40.
enum { MOST_LINES = 34, MOST_OF_GROUP = 5, MOST_GONE = 3 };

struct part {
  size_t first, count; // its first entry, and how many it has
};

struct parts {
  const struct collection *collection;
  struct part *at;
  size_t count;
  size_t *of;         // the part of each entry
  const char *folder; // begins with the folder that all paths have in common
  size_t prefix;      // the length of that folder, which is left out; 0: there is none
};

static bool is_same_part(const struct entry *one, const struct entry *other) {
  if (one->group.size || other->group.size)
    return one->group.size == other->group.size && one->group.first == other->group.first;
  return strcmp(record_type(one->record), record_type(other->record)) == 0;
}

static size_t find_part(const struct parts *parts, const struct entry *entry) {
  size_t part = 0;
  while (part < parts->count && !is_same_part(&parts->collection->at[parts->at[part].first], entry))
    part++;
  return part;
}

static void make_parts(struct parts *parts) {
  size_t fresh = parts->collection->fresh;
  parts->at = must_alloc(NULL, (fresh + 1) * sizeof *parts->at);
  parts->of = must_alloc(NULL, (fresh + 1) * sizeof *parts->of);
  for (size_t i = 0; i < fresh; i++) {
    size_t part = find_part(parts, &parts->collection->at[i]);
    if (part == parts->count)
      parts->at[parts->count++] = (struct part){i, 0};
    parts->at[part].count++;
    parts->of[i] = part;
  }
}

// Returns the length of the folder, with its last slash, that all paths begin with, and sets
// *FOLDER to a path that begins with it. Returns 0 if a path is relative.
static size_t common_prefix(const struct collection *collection, const char **folder) {
  const char *first = NULL;
  size_t length = 0;
  for (size_t i = 0; i < 2 * collection->fresh; i++) {
    const cJSON *site = record_site(collection->at[i / 2].record, i % 2);
    const char *file = record_text(site, "file");
    if (!file)
      continue;
    if (!first)
      first = file, length = strlen(file);
    size_t same = 0;
    while (same < length && file[same] == first[same])
      same++;
    length = same;
    while (length > 0 && first[length - 1] != '/')
      length--;
  }
  *folder = first;
  return length > 1 && *first == '/' ? length : 0;
}

static void write_place(const struct parts *parts, const cJSON *record, size_t index, FILE *out) {
  const cJSON *site = record_site(record, index);
  const char *function = record_text(site, "function"), *file = record_text(site, "file");
  char *text = NULL;
  size_t size = 0;
  FILE *position = open_text(&text, &size);
  if (site)
    write_position(site, position);
  fclose(position);
  fputs(site ? text + (file ? parts->prefix : 0) : "an unknown place", out);
  free(text);
  if (function && (file || record_text(site, "module"))) {
    fputs(" in ", out);
    write_own_name(function, out);
  }
}

static void write_finding(const struct parts *parts, const struct entry *entry, FILE *out) {
  const cJSON *record = entry->record;
  fprintf(out, "  %s ", entry->token);
  write_place(parts, record, 0, out);
  if (record_is_violation(record))
    fprintf(out, " may %s the write ",
            record_text(record, "overwritten_by") ? "be ordered before" : "miss");
  else if (record_stack_count(record) > 1)
    fputs(" and ", out);
  if (record_is_violation(record) || record_stack_count(record) > 1)
    write_place(parts, record, 1, out);
  fputs(entry->changed ? " (changed lines)" : "", out);
  fputs(record_is_confirmed(record)          ? ": the program fails\n"
        : class_of(record) == CLASS_HARMLESS ? ": harmless\n"
                                             : "\n",
        out);
}

static void write_title(const struct parts *parts, size_t part, FILE *out) {
  const cJSON *record = parts->collection->at[parts->at[part].first].record;
  const char *cause = record_text(record, "cause");
  size_t count = parts->at[part].count;
  fputs(parts->collection->colour ? "\033[1m" : "", out);
  if (cause) {
    const char *path =
        parts->prefix ? memmem(cause, strlen(cause), parts->folder, parts->prefix) : NULL;
    size_t before = path ? (size_t)(path - cause) : 0;
    fprintf(out, "missing %.*s%s: %zu violation%s", (int)before, cause,
            cause + before + (path ? parts->prefix : 0), count, plural(count));
    if (parts->collection->at[parts->at[part].first].group.harmless)
      fprintf(out, ", %zu harmless", parts->collection->at[parts->at[part].first].group.harmless);
  } else {
    fprintf(out, "%s: %zu", record_type(record), count);
  }
  fputs(parts->collection->colour ? "\033[m\n" : "\n", out);
}

static void write_part(const struct parts *parts, size_t part, size_t most, FILE *out) {
  size_t shown = 0, count = parts->at[part].count;
  write_title(parts, part, out);
  for (size_t i = parts->at[part].first; i < parts->collection->fresh && shown < most; i++)
    if (parts->of[i] == part) {
      write_finding(parts, &parts->collection->at[i], out);
      shown++;
    }
  if (most && shown < count)
    fprintf(out, "  and %zu more\n", count - shown);
}

static size_t count_lines(const struct parts *parts, size_t most) {
  size_t lines = 0;
  for (size_t i = 0; i < parts->count; i++) {
    size_t count = parts->at[i].count;
    lines += 1 + (count > most ? most + (most > 0) : count);
  }
  return lines;
}

static void write_parts(const struct parts *parts, FILE *out) {
  size_t most = MOST_OF_GROUP, shown = parts->count, findings = 0;
  while (most > 0 && count_lines(parts, most) > MOST_LINES)
    most--;
  if (shown > MOST_LINES)
    shown = MOST_LINES - 1;
  for (size_t i = 0; i < shown; i++)
    write_part(parts, i, most, out);
  for (size_t i = shown; i < parts->count; i++)
    findings += parts->at[i].count;
  if (findings)
    fprintf(out, "and %zu more groups, of %zu findings\n", parts->count - shown, findings);
}

static void write_gone(const struct collection *collection, FILE *out) {
  size_t gone = 0;
  for (size_t i = 0; collection->baseline && i < collection->baseline->count; i++)
    gone += !collection->baseline->at[i].seen;
  if (gone && gone <= MOST_GONE)
    baseline_write_gone(collection->baseline, "in these reports", out);
  else if (gone)
    fprintf(out, "%zu known findings were not seen\n", gone);
}

void write_summary(const struct collection *collection, FILE *out) {
  struct parts parts = {.collection = collection};
  parts.prefix = common_prefix(collection, &parts.folder);
  make_parts(&parts);
  if (parts.prefix)
    fprintf(out, "paths are below %.*s\n", (int)parts.prefix, parts.folder);
  write_parts(&parts, out);
  write_gone(collection, out);
  write_end(collection, out);
  free(parts.at);
  free(parts.of);
}

void write_default(const struct collection *collection, FILE *out) {
  if (collection->fresh <= REPORTS_IN_FULL) {
    write_text(collection, out);
    return;
  }
  write_summary(collection, out);
  fprintf(out, "rsan report --format text prints all %zu reports\n", collection->fresh);
}
