// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifest.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC "rsan-schedule 1"
#define STEPS "steps" // the head's end

enum { HEAD_LINES = 16, LARGEST = 1 << 20 }; // bytes of the list, which then begins anew

static bool take(const char *line, const char *name, char **value) {
  size_t length = strlen(name);
  if (*value || strncmp(line, name, length) != 0 || line[length] != ' ')
    return false;
  *value = strdup(line + length + 1);
  return true;
}

static FILE *open_regular(const char *file) {
  struct stat status;
  int fd = open(file, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (fd < 0)
    return NULL;
  if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
    return fdopen(fd, "r");
  close(fd);
  errno = EINVAL;
  return NULL;
}

bool schedule_head_read(const char *file, struct schedule_head *head, bool *magic_found) {
  FILE *in = open_regular(file);
  char *line = NULL;
  size_t size = 0;
  *head = (struct schedule_head){0};
  *magic_found = false;
  for (unsigned number = 0; in && number < HEAD_LINES && getline(&line, &size, in) >= 0; number++) {
    line[strcspn(line, "\n")] = 0;
    if (number == 0)
      *magic_found = strcmp(line, MAGIC) == 0;
    if (!*magic_found || strcmp(line, STEPS) == 0)
      break;
    bool taken = take(line, "build", &head->build) || take(line, "arguments", &head->arguments) ||
                 take(line, "options", &head->options);
    (void)taken;
  }
  bool fine = in && !ferror(in);
  int error = errno;
  if (in)
    fclose(in);
  free(line);
  errno = error;
  return fine;
}

void schedule_head_free(struct schedule_head *head) {
  free(head->build);
  free(head->arguments);
  free(head->options);
  *head = (struct schedule_head){0};
}

// In static memory; NULL: the user has no home. MAKE: the folders as well.
static const char *list_path(bool make) {
  static char path[PATH_MAX];
  const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
  const struct passwd *user = home && *home == '/' ? NULL : getpwuid(getuid());
  bool is_given = state && *state == '/';
  home = home && *home == '/' ? home : user ? user->pw_dir : NULL;
  if (!is_given && !home)
    return NULL;
  int used = snprintf(path, sizeof path, "%s%s/rsan/replays", is_given ? state : home,
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

static char *entry_of(const struct schedule_head *head) {
  char *entry;
  if (!head->build || !head->arguments ||
      asprintf(&entry, "%s %s", head->build, head->arguments) < 0)
    return NULL;
  return entry;
}

// The list, if nobody but the user may write to it.
static FILE *open_list(const char *path) {
  struct stat status;
  FILE *list = path ? open_regular(path) : NULL;
  if (list && fstat(fileno(list), &status) == 0 && status.st_uid == geteuid() &&
      !(status.st_mode & (S_IWGRP | S_IWOTH)))
    return list;
  if (list)
    fclose(list);
  return NULL;
}

static bool is_listed(const char *entry) {
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

void manifest_add(const char *file) {
  static char *last; // a command has one program, as a rule
  struct schedule_head head;
  bool is_schedule;
  char *entry =
      schedule_head_read(file, &head, &is_schedule) && is_schedule ? entry_of(&head) : NULL;
  schedule_head_free(&head);
  if (!entry || (last && strcmp(last, entry) == 0)) {
    free(entry);
    return;
  }
  if (!is_listed(entry))
    append(entry);
  free(last);
  last = entry;
}

bool manifest_has(const struct schedule_head *head) {
  char *entry = entry_of(head);
  bool found = entry && is_listed(entry);
  free(entry);
  return found;
}
