// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "changes.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "printable.h"

static bool say(const char *name, const char *path, const char *what) {
  print_line(stderr, "%s: %s: %s", name, path, what);
  return false;
}

// Is this the text of the file?
static bool has_text(const char *path, const char *text) {
  FILE *file = fopen(path, "re");
  bool same = file;
  for (int c; same && (c = getc(file)) != EOF;)
    same = *text && (unsigned char)*text++ == c;
  same = same && !*text && !ferror(file);
  if (file)
    fclose(file);
  return same;
}

static bool prepare(struct file_change *change, const char *name) {
  if (!file_target_find(change->path, &change->target))
    return say(name, change->path, strerror(errno));
  if (!change->target.exists || !S_ISREG(change->target.status.st_mode))
    return say(name, change->path, "it is no regular file");
  if (!change->target.replaced)
    return say(name, change->path, "it belongs to another user");
  if (!file_target_beside(&change->target, change->after, strlen(change->after), change->made)) {
    *change->made = 0;
    return say(name, change->path, strerror(errno));
  }
  return true;
}

// A second name of the old file, or where the file system has no such thing, a copy.
static bool keep(struct file_change *change, const char *name) {
  int length = snprintf(change->kept, sizeof change->kept, "%s~", change->made);
  if (length < (int)sizeof change->kept && link(change->target.path, change->kept) == 0)
    return true;
  if (file_target_beside(&change->target, change->before, strlen(change->before), change->kept))
    return true;
  *change->kept = 0;
  return say(name, change->path, strerror(errno));
}

static bool put_in_place(struct file_change *changes, size_t count, const char *name) {
  // Somebody may have changed them while the new texts were written.
  for (size_t i = 0; i < count; i++)
    if (!has_text(changes[i].target.path, changes[i].before))
      return say(name, changes[i].path, "it was changed in the meantime");
  for (size_t i = 0; i < count; i++) {
    if (rename(changes[i].made, changes[i].target.path) != 0)
      return say(name, changes[i].path, strerror(errno));
    *changes[i].made = 0;
    changes[i].in_place = true;
  }
  return true;
}

static void put_back(struct file_change *change, const char *name) {
  if (!change->in_place)
    return;
  if (rename(change->kept, change->target.path) == 0) {
    *change->kept = 0;
    change->in_place = false;
    return;
  }
  print_line(stderr, "%s: %s: is changed and cannot be put back: %s; the old text is in %s", name,
             change->path, strerror(errno), change->kept);
  *change->kept = 0; // it stays
}

static enum file_changes_end make(struct file_change *changes, size_t count, const char *name) {
  bool fine = true, some = false;
  for (size_t i = 0; i < count && fine; i++)
    fine = prepare(&changes[i], name);
  // There is nothing to put back if the only one cannot be renamed.
  for (size_t i = 0; i < count && fine && count > 1; i++)
    fine = keep(&changes[i], name);
  fine = fine && put_in_place(changes, count, name);
  for (size_t i = 0; i < count; i++) {
    if (!fine)
      put_back(&changes[i], name);
    some |= changes[i].in_place;
    if (*changes[i].made)
      unlink(changes[i].made);
    if (*changes[i].kept)
      unlink(changes[i].kept);
  }
  return fine ? FILE_CHANGES_MADE : some ? FILE_CHANGES_SOME : FILE_CHANGES_NONE;
}

enum file_changes_end file_changes_make(struct file_change *changes, size_t count,
                                        const char *name) {
  sigset_t before;
  file_hold_signals(&before);
  for (size_t i = 0; i < count; i++) {
    *changes[i].made = *changes[i].kept = 0;
    changes[i].in_place = false;
  }
  enum file_changes_end end = make(changes, count, name);
  if (end == FILE_CHANGES_NONE)
    fprintf(stderr, "%s: nothing was changed\n", name);
  else
    for (size_t i = 0; i < count; i++)
      say(name, changes[i].path, changes[i].in_place ? "changed" : "not changed");
  file_release_signals(&before);
  return end;
}
