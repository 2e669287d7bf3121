// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "units.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "content.h"
#include "need.h"
#include "printable.h"
#include "unit/manifest.h"

// The place of the build among the known ones; it is added if it is new, and taken over then.
static size_t find_build(struct units *units, struct manifest *manifest) {
  char reason[1024];
  for (size_t i = 0; i < units->build_count; i++)
    if (manifest_agrees(units->builds[i], manifest->json, reason, sizeof reason)) {
      units->sizes[i]++;
      return i;
    }
  size_t count = units->build_count + 1;
  units->builds = need(realloc(units->builds, count * sizeof *units->builds));
  units->sizes = need(realloc(units->sizes, count * sizeof *units->sizes));
  units->builds[count - 1] = manifest->json;
  units->sizes[count - 1] = 1;
  manifest->json = NULL;
  units->build_count = count;
  return count - 1;
}

static bool list_one(struct units *units, const char *path, char *reason, size_t size) {
  struct manifest manifest = {0};
  char *text;
  bool read = content_read_manifest(path, &text, reason, size) &&
              manifest_read(&manifest, text, reason, size);
  if (read) {
    struct listed_unit *unit = &units->at[units->count++];
    *unit = (struct listed_unit){.path = need(strdup(path)),
                                 .host = need(strdup(manifest.host)),
                                 .first = manifest.first,
                                 .last = manifest.last,
                                 .attempt = manifest.attempt};
    unit->build = find_build(units, &manifest);
  }
  manifest_free(&manifest);
  free(text);
  return read;
}

static int compare(const void *a, const void *b) {
  const struct listed_unit *left = a, *right = b;
  if (left->first != right->first)
    return left->first < right->first ? -1 : 1;
  if (left->last != right->last)
    return left->last < right->last ? -1 : 1;
  if (left->attempt != right->attempt)
    return left->attempt < right->attempt ? -1 : 1;
  int order = strcmp(left->host, right->host);
  return order ? order : strcmp(left->path, right->path);
}

void units_list(struct units *units, char *const *paths, const char *name) {
  char reason[2 * PATH_MAX];
  size_t count = 0;
  while (paths[count])
    count++;
  *units = (struct units){.at = need(calloc(count + 1, sizeof *units->at))};
  for (size_t i = 0; i < count; i++)
    if (!list_one(units, paths[i], reason, sizeof reason)) {
      print_line(stderr, "%s: %s is refused: %s", name, paths[i], reason);
      units->refused++;
    }
  qsort(units->at, units->count, sizeof *units->at, compare);
}

const cJSON *units_build(const struct units *units, size_t *index) {
  const cJSON *build = NULL;
  for (size_t i = 0, most = 0; i < units->count; i++) {
    size_t own = units->at[i].build;
    if (units->sizes[own] > most) {
      most = units->sizes[own];
      *index = own;
      build = units->builds[own];
    }
  }
  return build;
}

void units_free(struct units *units) {
  for (size_t i = 0; i < units->count; i++) {
    free(units->at[i].path);
    free(units->at[i].host);
  }
  for (size_t i = 0; i < units->build_count; i++)
    cJSON_Delete(units->builds[i]);
  free(units->at);
  free(units->builds);
  free(units->sizes);
  *units = (struct units){0};
}
