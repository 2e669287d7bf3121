// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "list.h"

#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file/regular.h"

enum { LARGEST = 1 << 20 }; // bytes of the list; a longer one is replaced by an empty one

// Returns the path of the list, in static memory, or NULL if the user has no home. Creates its
// folders if MAKE.
static const char *list_path(bool make) {
  static char path[PATH_MAX];
  const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
  const struct passwd *user = home && *home == '/' ? NULL : getpwuid(getuid());
  bool is_given = state && *state == '/';
  home = home && *home == '/' ? home : user ? user->pw_dir : NULL;
  if (!is_given && !home)
    return NULL;
  int used = snprintf(path, sizeof path, "%s%s/rsan/trusted", is_given ? state : home,
                      is_given ? "" : "/.local/state");
  if (used >= (int)sizeof path)
    return NULL;
  for (char *slash = path; make && (slash = strchr(slash + 1, '/'));) {
    *slash = 0;
    mkdir(path, 0700);
    *slash = '/';
  }
  return path;
}

// Opens the list, unless another user may write to it.
static FILE *open_list(const char *path) {
  struct stat status;
  FILE *list = path ? file_open_regular(path, 0) : NULL;
  if (list && fstat(fileno(list), &status) == 0 && status.st_uid == geteuid() &&
      !(status.st_mode & (S_IWGRP | S_IWOTH)))
    return list;
  if (list)
    fclose(list);
  return NULL;
}

bool trust_list_has(const char *entry) {
  FILE *list = open_list(list_path(false));
  char *line = NULL;
  size_t size = 0;
  bool found = false;
  while (list && !found && getline(&line, &size, list) >= 0) {
    line[strcspn(line, "\n")] = 0;
    found = strcmp(line, entry) == 0;
  }
  if (list)
    fclose(list);
  free(line);
  return found;
}

static void append(const char *entry) {
  const char *path = list_path(true);
  struct stat status;
  if (!path)
    return;
  if (stat(path, &status) == 0 && status.st_size > LARGEST)
    unlink(path);
  int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
  FILE *list = fd >= 0 ? fdopen(fd, "a") : NULL;
  if (list) {
    fprintf(list, "%s\n", entry);
    fclose(list);
  }
}

void trust_list_add(const char *entry) {
  if (!strchr(entry, '\n') && !trust_list_has(entry))
    append(entry);
}
