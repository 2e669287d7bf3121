// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "asked.h"
#include "checked.h"
#include "file/lock.h"
#include "file/temporary.h"
#include "printable.h"

// What earlier runs have left would be taken for reports of these.
static bool holds_runs(const char *folder) {
  DIR *list = opendir(folder);
  struct dirent *entry;
  bool found = false;
  while (list && (entry = readdir(list)))
    found |= strncmp(entry->d_name, "run-", 4) == 0 || strncmp(entry->d_name, "step-", 5) == 0 ||
             strncmp(entry->d_name, "reports.", 8) == 0;
  if (list)
    closedir(list);
  return found;
}

// The lock is held until the process ends.
static bool lock(const char *name, const char *folder) {
  static struct file_locks locks;
  char file[PATH_MAX + 16], reason[PATH_MAX + 128];
  snprintf(file, sizeof file, "%s/checked", folder);
  bool locked = file_lock(&locks, file, folder, reason, sizeof reason);
  if (!locked)
    print_line(stderr, "%s: %s: name another folder, or wait for its end", name, reason);
  return locked;
}

// Nothing was checked yet.
static bool clear(const char *name, const char *folder) {
  bool cleared = checked_clear(folder);
  if (!cleared)
    print_line(stderr, "%s: %s/checked: %s", name, folder, strerror(errno));
  return cleared;
}

// -- which folder --

static char path[PATH_MAX];

void run_folder_keep(void) {
  file_temporary_keep(path);
}

const char *run_folder_named(const char *named) {
  run_folder_keep();
  return named;
}

const char *run_folder_make(const char *name, const char *output) {
  char made[PATH_MAX];
  struct stat status;
  const char *folder = output ? output : made;
  bool there = output ? mkdir(output, 0777) == 0 || errno == EEXIST
                      : file_temporary_make("rsan-run", PATH_MAX, made);
  if (there && stat(folder, &status) == 0 && !S_ISDIR(status.st_mode)) {
    there = false;
    errno = ENOTDIR;
  }
  if (!there || !realpath(folder, path) ||
      faccessat(AT_FDCWD, path, W_OK | X_OK, AT_EACCESS) != 0) {
    print_line(stderr, "%s: %s: %s", name, folder, strerror(errno));
    return NULL;
  }
  if (holds_runs(path)) {
    print_line(stderr, "%s: %s has earlier runs in it: remove them, or name another folder", name,
               folder);
    return NULL;
  }
  if (strchr(path, '"') && strchr(path, '\'')) {
    print_line(stderr, "%s: %s: both kinds of quotes cannot be in the folder's path", name, path);
    return NULL;
  }
  return lock(name, path) && clear(name, path) ? path : NULL;
}

bool run_resume_take_option(int key, const char *text, struct resumed *resumed) {
  if (key == KEY_RESUME)
    resumed->folder = text;
  else if (key == KEY_TRUST)
    resumed->trusts = true;
  return key == KEY_RESUME || key == KEY_TRUST;
}

static bool is_trusted(const char *name, const char *file, bool trusts) {
  cJSON *json = asked_read(file);
  if (!json)
    print_line(stderr, "%s: %s is damaged, or of another version of rsan: begin anew", name, file);
  bool trusted = json && (trusts || asked_is_trusted(json, name, file));
  cJSON_Delete(json);
  return trusted;
}

const char *run_folder_resume(const char *name, const struct resumed *resumed, const char *kept,
                              const char *missing) {
  char file[PATH_MAX + 32];
  snprintf(file, sizeof file, "%s/%s", resumed->folder, kept);
  if (!realpath(resumed->folder, path) || access(file, R_OK) != 0) {
    print_line(stderr, "%s: --resume %s: there is %s to resume (%s): %s", name, resumed->folder,
               missing, kept, strerror(errno));
    return NULL;
  }
  return is_trusted(name, file, resumed->trusts) && lock(name, path) ? path : NULL;
}
