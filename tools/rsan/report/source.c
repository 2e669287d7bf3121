// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "source.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"
#include "debug-lines/checksum.h"
#include "debug-lines/line-table.h"
#include "record.h"

// A file of a line table.
struct built_file {
  char *path;       // without "." and ".."
  char *md5, *text; // NULL: unknown
};

// A program or a library, and its files that have a checksum or a text.
struct build {
  char *module, *build_id; // as in the record
  struct built_file *at;
  size_t count;
  bool rebuilt;
};

struct answer {
  const struct build *build;
  char *file;
  enum source_state state;
};

struct sources {
  const struct modules *modules;
  struct build **builds;
  size_t build_count;
  struct answer *answers;
  size_t answer_count;
};

struct sources *sources_new(const struct modules *modules) {
  struct sources *sources = must_alloc(NULL, sizeof *sources);
  *sources = (struct sources){.modules = modules};
  return sources;
}

static void free_build(struct build *build) {
  for (size_t i = 0; i < build->count; i++) {
    free(build->at[i].path);
    free(build->at[i].md5);
    free(build->at[i].text);
  }
  free(build->at);
  free(build->module);
  free(build->build_id);
  free(build);
}

void sources_free(struct sources *sources) {
  for (size_t i = 0; i < sources->build_count; i++)
    free_build(sources->builds[i]);
  for (size_t i = 0; i < sources->answer_count; i++)
    free(sources->answers[i].file);
  free(sources->builds);
  free(sources->answers);
  free(sources);
}

// Names of one file become the same text: without empty parts, "." and "..".
static char *simplify(const char *path) {
  char *simple = must_copy(path, strlen(path)), *to = simple;
  const char *floor = simple;
  for (const char *at = path; *at; at += *at == '/') {
    size_t length = strcspn(at, "/");
    bool up = length == 2 && strncmp(at, "..", 2) == 0;
    if (at == path && length == 0) {
      *to++ = '/';
      floor = to;
    } else if (up && to > floor) {
      for (to--; to > floor && to[-1] != '/'; to--)
        ;
    } else if (length && !(length == 1 && *at == '.')) {
      memmove(to, at, length);
      to += length;
      *to++ = '/';
      floor = up ? to : floor; // of a path that begins above its folder
    }
    at += length;
  }
  if (to > simple + 1 && to[-1] == '/')
    to--;
  *to = 0;
  return simple;
}

static char *copy_or_null(const char *text) {
  return text && *text ? must_copy(text, strlen(text)) : NULL;
}

static void add_file(const struct line_file *file, void *context) {
  struct build *build = context;
  char *md5 = copy_or_null(file->md5), *text = copy_or_null(file->text);
  if (!file->path || (!md5 && !text)) {
    free(md5);
    free(text);
    return;
  }
  build->at = must_alloc(build->at, (build->count + 1) * sizeof *build->at);
  build->at[build->count++] =
      (struct built_file){.path = simplify(file->path), .md5 = md5, .text = text};
}

// Frames of inlined functions have no build id of their own.
static const char *find_build_id(const cJSON *item, const char *module) {
  const char *its = cJSON_IsObject(item) ? record_text(item, "module") : NULL;
  const char *found = its && strcmp(its, module) == 0 ? record_text(item, "build_id") : NULL;
  const cJSON *child;
  cJSON_ArrayForEach(child, item) {
    if (found)
      break;
    found = find_build_id(child, module);
  }
  return found;
}

static const struct build *find_build(struct sources *sources, const char *module,
                                      const char *build_id) {
  for (size_t i = 0; i < sources->build_count; i++)
    if (strcmp(sources->builds[i]->module, module) == 0 &&
        strcmp(sources->builds[i]->build_id, build_id) == 0)
      return sources->builds[i];
  struct build *build = must_alloc(NULL, sizeof *build);
  const struct place place = {.module = module,
                              .module_length = strlen(module),
                              .build_id = build_id,
                              .build_id_length = strlen(build_id)};
  *build = (struct build){.module = must_copy(module, strlen(module)),
                          .build_id = must_copy(build_id, strlen(build_id))};
  char *path = modules_find_quietly(sources->modules, &place, &build->rebuilt);
  if (path)
    line_table_read(path, add_file, build);
  free(path);
  sources->builds =
      must_alloc(sources->builds, (sources->build_count + 1) * sizeof *sources->builds);
  sources->builds[sources->build_count++] = build;
  return build;
}

// Does the record's name, from which a prefix may have been taken, stand for the file?
static bool is_named(const char *path, const char *name) {
  size_t length = strlen(path), end = strlen(name);
  if (*name == '/' || end >= length)
    return strcmp(path, name) == 0;
  return path[length - end - 1] == '/' && strcmp(path + length - end, name) == 0;
}

// Several files may have the name; then it is enough if the text matches one of them.
static enum source_state compare(const struct build *build, const char *file, const char *text,
                                 size_t size) {
  enum source_state state = build->rebuilt ? SOURCE_REBUILT : SOURCE_UNKNOWN;
  char digits[CHECKSUM_DIGITS + 1] = "", *name = simplify(file);
  for (size_t i = 0; i < build->count && state != SOURCE_BUILT; i++) {
    const struct built_file *entry = &build->at[i];
    if (!is_named(entry->path, name))
      continue;
    if (!*digits)
      checksum_text(text, size, digits);
    bool same = entry->md5 ? strcmp(entry->md5, digits) == 0
                           : strlen(entry->text) == size && memcmp(entry->text, text, size) == 0;
    state = same ? SOURCE_BUILT : SOURCE_CHANGED;
  }
  free(name);
  return state;
}

enum source_state sources_check(struct sources *sources, const cJSON *record, const cJSON *frame,
                                const char *text, size_t size) {
  const char *module = record_text(frame, "module"), *file = record_text(frame, "file");
  const char *build_id = module ? record_text(frame, "build_id") : NULL;
  if (module && !build_id)
    build_id = find_build_id(record, module);
  if (!build_id || !file) // it may be of any build
    return SOURCE_UNKNOWN;
  const struct build *build = find_build(sources, module, build_id);
  for (size_t i = 0; i < sources->answer_count; i++)
    if (sources->answers[i].build == build && strcmp(sources->answers[i].file, file) == 0)
      return sources->answers[i].state;
  struct answer answer = {build, must_copy(file, strlen(file)), compare(build, file, text, size)};
  sources->answers =
      must_alloc(sources->answers, (sources->answer_count + 1) * sizeof *sources->answers);
  sources->answers[sources->answer_count++] = answer;
  return answer.state;
}
