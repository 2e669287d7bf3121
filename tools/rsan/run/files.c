// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <dirent.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "files.h"
#include "runs.h"

const char *run_folder(const struct run_plan *plan, unsigned number) {
  static char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/run-%04u", plan->folder, number);
  return path;
}

void run_files(const struct run_plan *plan, unsigned number, const char *prefix,
               void (*read)(void *context, const char *path), void *context) {
  char path[PATH_MAX + 300];
  DIR *list = opendir(run_folder(plan, number));
  struct dirent *entry;
  while (list && (entry = readdir(list))) {
    if (strncmp(entry->d_name, prefix, strlen(prefix)) != 0)
      continue;
    snprintf(path, sizeof path, "%s/%s", run_folder(plan, number), entry->d_name);
    read(context, path);
  }
  if (list)
    closedir(list);
}

static void remove_file(void *context, const char *path) {
  (void)context;
  const char *name = strrchr(path, '/') + 1;
  if (*name != '.')
    unlink(path);
}

void run_folder_remove(const struct run_plan *plan, unsigned number) {
  run_files(plan, number, "", remove_file, NULL);
  rmdir(run_folder(plan, number));
}

void run_folders_remove(const char *folder) {
  const struct run_plan plan = {.folder = folder};
  struct dirent *entry;
  unsigned number;
  DIR *list = opendir(folder);
  while (list && (entry = readdir(list)))
    if (sscanf(entry->d_name, "run-%u", &number) == 1)
      run_folder_remove(&plan, number);
  if (list)
    closedir(list);
  rmdir(folder);
}
