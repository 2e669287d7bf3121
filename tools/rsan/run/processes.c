// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "processes.h"

#include <dirent.h>
#include <stddef.h>

unsigned processes_visit(bool (*visit)(const char *pid, const void *context), const void *context) {
  unsigned count = 0;
  DIR *list = opendir("/proc");
  struct dirent *entry;
  while (list && (entry = readdir(list)))
    if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9')
      count += visit(entry->d_name, context);
  if (list)
    closedir(list);
  return count;
}
