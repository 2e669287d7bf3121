// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "find.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_runnable(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

bool find_program(const char *name, char path[PATH_MAX]) {
  const char *folders = getenv("PATH");
  if (strchr(name, '/'))
    return realpath(name, path) != NULL;
  for (const char *at = folders ? folders : "/bin:/usr/bin"; at; at = strchr(at, ':')) {
    char file[PATH_MAX];
    at += *at == ':';
    size_t length = strcspn(at, ":");
    if (snprintf(file, sizeof file, "%.*s%s%s", (int)length, at, length ? "/" : "", name) <
            (int)sizeof file &&
        is_runnable(file))
      return realpath(file, path) != NULL;
  }
  errno = ENOENT;
  return false;
}
