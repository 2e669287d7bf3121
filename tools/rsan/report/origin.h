// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where reports come from: the commands that were run, and when the last report was written. Not
// thread-safe.

#ifndef ORIGIN_H
#define ORIGIN_H

#include <stddef.h>
#include <time.h>

enum { ORIGIN_COMMANDS = 3 };

// Begin with {0}. For origin_clear().
struct origin {
  char *commands[ORIGIN_COMMANDS]; // each once, as lines for a shell
  size_t count;                    // may be more than there is room for
  time_t written;                  // 0: not known
};

// Notes the time of a file of reports, and the command that made it. `rsan run`, `check` and
// `confirm` store the command beside the reports. If no command is stored, none is noted.
void origin_note(struct origin *origin, const char *file);

void origin_clear(struct origin *origin);

#endif
