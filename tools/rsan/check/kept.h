// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// check.json in the folder of an exploration: what was asked for, so that --resume can go on with
// it, and what came of it, for other programs.

#ifndef CHECK_KEPT_H
#define CHECK_KEPT_H

#include <stdbool.h>
#include <stddef.h>

#include "unit/progress.h"
#include "verdict.h"

struct kept {
  char **command; // NULL at its end; owned after kept_read
  struct check_bounds bounds;
  double timeout;
};

// What was asked for, and, unless `progress` is NULL, the verdict. False with errno set.
bool kept_write(const char *folder, const struct kept *kept, const struct progress *progress);

// Also goes to the directory, and sets the runtime's options, that were those of the exploration.
// False after a message by NAME.
bool kept_read(const char *folder, const char *name, struct kept *kept);

void kept_free(struct kept *kept);

#endif
