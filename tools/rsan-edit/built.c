// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "built.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "debug-lines/checksum.h"
#include "debug-lines/line-table.h"
#include "printable.h"

static const char *last_part(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static bool is_asked(const struct rules *rules, const char *name) {
  for (size_t i = 0; i < rules->count; i++)
    if (strcmp(last_part(rules->at[i].given), name) == 0 ||
        strcmp(last_part(rules->at[i].file), name) == 0)
      return true;
  return false;
}

// What the visitor adds to.
struct reading {
  struct built *built;
  const struct rules *rules;
  const char *binary;
};

static void add_includer(struct built *built, const char *path, const struct line_file *file) {
  char *source = realpath(file->compiled, NULL);
  bool known = !source;
  for (size_t i = 0; i < built->includer_count && !known; i++)
    known = strcmp(built->includers[i].file, path) == 0 &&
            strcmp(built->includers[i].source, source) == 0;
  if (known) {
    free(source);
    return;
  }
  size_t size = (built->includer_count + 1) * sizeof *built->includers;
  built->includers = realloc(built->includers, size);
  if (!built->includers)
    abort();
  built->includers[built->includer_count++] = (struct includer){
      .file = strdup(path), .source = source, .folder = strdup(file->compiled_in)};
}

const struct includer *built_includer(const struct built *built, const char *path, size_t number) {
  const struct includer *found = NULL;
  for (size_t i = 0; i < built->includer_count; i++) {
    const struct includer *at = &built->includers[i];
    if (strcmp(at->file, path) != 0)
      continue;
    if (strcmp(at->source, path) == 0)
      return NULL;
    if (number-- == 0)
      found = at;
  }
  return found;
}

static void add_file(const struct line_file *file, void *context) {
  struct reading *reading = context;
  struct built *built = reading->built;
  if (!is_asked(reading->rules, last_part(file->name)))
    return;
  struct built_file *more = realloc(built->at, (built->count + 1) * sizeof *more);
  char *resolved = file->path ? realpath(file->path, NULL) : NULL;
  if (!more)
    abort();
  built->at = more;
  if (resolved && file->compiled)
    add_includer(built, resolved, file);
  more[built->count++] = (struct built_file){
      .binary = reading->binary,
      .path = resolved ? resolved : strdup(file->path ? file->path : last_part(file->name)),
      .md5 = file->md5 ? strdup(file->md5) : NULL,
      .text = file->text && *file->text ? strdup(file->text) : NULL};
}

bool built_read(struct built *built, const char *const *binaries, const struct rules *rules) {
  *built = (struct built){.binaries = binaries};
  for (size_t i = 0; binaries[i]; i++) {
    struct reading reading = {built, rules, binaries[i]};
    if (!line_table_read(binaries[i], add_file, &reading))
      return false;
  }
  return true;
}

bool built_is_newer(const struct stat *one, const struct stat *other) {
  return one->st_mtim.tv_sec != other->st_mtim.tv_sec
             ? one->st_mtim.tv_sec > other->st_mtim.tv_sec
             : one->st_mtim.tv_nsec > other->st_mtim.tv_nsec;
}

// Do the line tables of this program name the file, or is nothing known?
static bool may_have(const struct built *built, const char *binary, const char *path) {
  bool named = false, own = false;
  for (size_t i = 0; i < built->count; i++) {
    bool same = strcmp(last_part(built->at[i].path), last_part(path)) == 0;
    named |= same;
    own |= same && built->at[i].binary == binary;
  }
  return own || !named;
}

static bool check_times(const struct built *built, const char *path, char *reason, size_t size) {
  struct stat source, program;
  for (size_t i = 0; built->binaries[i]; i++) {
    const char *binary = built->binaries[i];
    if (!may_have(built, binary, path))
      continue;
    if (stat(path, &source) != 0 || stat(binary, &program) != 0) {
      snprintf(reason, size, "%s", strerror(errno));
      return false;
    }
    if (built_is_newer(&source, &program)) {
      snprintf(reason, size, "it is newer than %s, which has no checksum of it: build that again",
               binary);
      return false;
    }
    print_line(stderr,
               "rsan-edit: %s: %s has no checksum of it (DWARF 5 of clang has); it is not newer, "
               "and is taken for what that was built from",
               path, binary);
  }
  return true;
}

bool built_check(const struct built *built, const char *path, const char *text, char *reason,
                 size_t size) {
  char digits[CHECKSUM_DIGITS + 1] = "";
  bool known = false;
  for (size_t i = 0; i < built->count; i++) {
    const struct built_file *file = &built->at[i];
    if (strcmp(file->path, path) != 0 || (!file->md5 && !file->text))
      continue;
    known = true;
    if (file->md5 && !*digits)
      checksum_text(text, strlen(text), digits);
    if (file->md5 ? strcmp(file->md5, digits) != 0 : strcmp(file->text, text) != 0) {
      snprintf(reason, size, "it was changed since %s was built: build that again", file->binary);
      return false;
    }
  }
  return known || check_times(built, path, reason, size);
}

void built_free(struct built *built) {
  for (size_t i = 0; i < built->count; i++) {
    free(built->at[i].path);
    free(built->at[i].md5);
    free(built->at[i].text);
  }
  for (size_t i = 0; i < built->includer_count; i++) {
    free(built->includers[i].file);
    free(built->includers[i].source);
    free(built->includers[i].folder);
  }
  free(built->includers);
  free(built->at);
}
