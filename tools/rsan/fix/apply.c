// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sources before and after they are changed, and the programs that the repair was found with.

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "file/changes.h"
#include "file/lock.h"
#include "fix.h"
#include "printable.h"

static bool complain(const struct fix *fix, const char *path, const char *what) {
  print_line(stderr, "%s: %s: %s", fix->name, path, what);
  return false;
}

// -- programs --

void fix_note_modules(struct fix *fix) {
  const struct fix_problem *problem = &fix->problem;
  size_t size = (problem->module_count + 1) * sizeof *fix->modules;
  fix->modules = realloc(fix->modules, size);
  if (!fix->modules)
    abort();
  for (; fix->noted < problem->module_count; fix->noted++)
    if (stat(problem->modules[fix->noted], &fix->modules[fix->noted]) != 0)
      fix->modules[fix->noted] = (struct stat){0};
}

// Complains, and returns false, if a module was rebuilt after the search began.
bool fix_modules_are_same(const struct fix *fix) {
  for (size_t i = 0; i < fix->noted; i++) {
    const struct stat *old = &fix->modules[i];
    struct stat now;
    if (stat(fix->problem.modules[i], &now) != 0)
      now = (struct stat){0}; // as of one that was not there before
    if (now.st_dev != old->st_dev || now.st_ino != old->st_ino || now.st_size != old->st_size ||
        now.st_mtim.tv_sec != old->st_mtim.tv_sec || now.st_mtim.tv_nsec != old->st_mtim.tv_nsec)
      return complain(fix, fix->problem.modules[i],
                      "was built again in the meantime: run rsan fix again");
  }
  return true;
}

// -- sources --

// The whole file as a text, NULL with errno set.
static char *read_text(const char *path) {
  char *text = NULL;
  size_t size = 0;
  FILE *file = fopen(path, "re");
  if (!file)
    return NULL;
  errno = 0;
  if (getdelim(&text, &size, 0, file) < 0) {
    free(text);
    text = errno ? NULL : strdup("");
  }
  fclose(file);
  return text;
}

// The source of a rule: its point without line and column.
static char *source_of(const struct fix_rule *rule) {
  char *point = strdup(rule->point);
  for (int i = 0; i < 2 && point; i++) {
    char *colon = strrchr(point, ':');
    if (colon && colon[1 + strspn(colon + 1, "0123456789")] == 0)
      *colon = 0;
  }
  char *path = point ? realpath(point, NULL) : NULL;
  free(point);
  return path;
}

static bool is_saved(const struct fix *fix, const char *path) {
  for (size_t i = 0; i < fix->saved_count; i++)
    if (strcmp(fix->saved[i].path, path) == 0)
      return true;
  return false;
}

bool fix_save(struct fix *fix) {
  fix->saved = calloc(fix->problem.rule_count + 1, sizeof *fix->saved);
  if (!fix->saved)
    abort();
  for (size_t i = 0; i < fix->problem.rule_count; i++) {
    const struct fix_rule *rule = &fix->problem.rules[i];
    if (!fix->chosen[i] || rule->refused)
      continue;
    struct fix_saved saved = {.path = source_of(rule)};
    if (!saved.path)
      return complain(fix, rule->point, strerror(errno));
    if (is_saved(fix, saved.path)) {
      free(saved.path);
      continue;
    }
    saved.before = read_text(saved.path);
    if (!saved.before)
      return complain(fix, saved.path, strerror(errno));
    fix->saved[fix->saved_count++] = saved;
  }
  return true;
}

void fix_note_applied(struct fix *fix) {
  for (size_t i = 0; i < fix->saved_count; i++)
    fix->saved[i].after = read_text(fix->saved[i].path);
}

static bool is_changed(const struct fix_saved *saved) {
  return !saved->after || strcmp(saved->before, saved->after) != 0;
}

bool fix_print_changed(const struct fix *fix) {
  size_t changed = 0;
  for (size_t i = 0; i < fix->saved_count; i++)
    changed += is_changed(&fix->saved[i]);
  if (!changed)
    return false;
  printf("applied to %zu of %zu sources:\n", changed, fix->saved_count);
  for (size_t i = 0; i < fix->saved_count; i++)
    print_line(stdout, "  %s: %s", fix->saved[i].path,
               is_changed(&fix->saved[i]) ? "changed" : "not changed");
  return true;
}

bool fix_restore(const struct fix *fix) {
  struct file_change *changes = calloc(fix->saved_count + 1, sizeof *changes);
  struct file_locks locks = {0};
  char reason[512];
  size_t count = 0;
  bool fine = changes;
  for (size_t i = 0; i < fix->saved_count && fine; i++) {
    const struct fix_saved *saved = &fix->saved[i];
    if (!saved->after)
      fine = complain(fix, saved->path, "what was applied cannot be told");
    else if (!file_lock_folder(&locks, saved->path, reason, sizeof reason))
      fine = complain(fix, saved->path, reason);
    else if (is_changed(saved))
      changes[count++] =
          (struct file_change){.path = saved->path, .before = saved->after, .after = saved->before};
  }
  fine = fine && file_changes_make(changes, count, fix->name) == FILE_CHANGES_MADE;
  file_unlock(&locks);
  free(changes);
  return fine;
}

void fix_free_saved(struct fix *fix) {
  for (size_t i = 0; i < fix->saved_count; i++) {
    free(fix->saved[i].path);
    free(fix->saved[i].before);
    free(fix->saved[i].after);
  }
  free(fix->saved);
  free(fix->modules);
}
