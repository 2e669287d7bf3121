// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "shown.h"

#include <string.h>

bool run_is_shown(const struct run_plan *plan, const struct records *records, unsigned number) {
  size_t length = strlen(plan->folder);
  for (size_t i = 0; i < records->count; i++) {
    const char *source = records->at[i].source;
    unsigned own;
    if (strncmp(source, plan->folder, length) == 0 &&
        sscanf(source + length, "/run-%u/", &own) == 1 && own == number)
      return true;
  }
  return false;
}
