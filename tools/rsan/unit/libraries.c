// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "libraries.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "need.h"

struct libraries {
  char *path; // folders with colons between them; owned
  bool differs;
};

static bool has_folder(const char *path, const char *folder, size_t length) {
  for (const char *at = path; at; at = strchr(at, ':')) {
    at += *at == ':';
    if (strncmp(at, folder, length) == 0 && (!at[length] || at[length] == ':'))
      return true;
  }
  return false;
}

static void add_folder(void *context, const char *name, const char *file) {
  struct libraries *libraries = context;
  const char *slash = strrchr(file, '/');
  char *longer;
  (void)name;
  if (!slash || slash == file || has_folder(libraries->path, file, (size_t)(slash - file)))
    return;
  if (asprintf(&longer, "%s%s%.*s", libraries->path, *libraries->path ? ":" : "",
               (int)(slash - file), file) < 0)
    abort();
  free(libraries->path);
  libraries->path = longer;
}

// Is it the first one of its name on the path?
static void check_first(void *context, const char *name, const char *file) {
  struct libraries *libraries = context;
  char found[PATH_MAX];
  for (const char *at = libraries->path; at; at = strchr(at, ':')) {
    at += *at == ':';
    snprintf(found, sizeof found, "%.*s/%s", (int)strcspn(at, ":"), at, name);
    if (access(found, F_OK) != 0)
      continue;
    libraries->differs |= strcmp(found, file) != 0;
    return;
  }
}

void libraries_pin(const struct program *program) {
  const char *now = getenv("LD_LIBRARY_PATH");
  struct libraries libraries = {.path = need(strdup(now ? now : ""))};
  program_libraries(program, add_folder, &libraries);
  program_libraries(program, check_first, &libraries);
  if (*libraries.path && !libraries.differs)
    setenv("LD_LIBRARY_PATH", libraries.path, 1);
  free(libraries.path);
  setenv("LD_BIND_NOW", "1", 0); // else each execution looks for the same symbols
}
