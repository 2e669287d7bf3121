// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs that are not told apart by their seeds alone: the tries of `rsan confirm', and the parts of
// the exploration of `rsan check'. A file has a line of JSON for each, the first one for run 1:
//   options   of the runtime, added to those of all; @RUN@ stands for the run's folder there
//   places    the text of the file `places' in that folder (weak_file=); none if it is not there
//   state     in base64, the file `execution.state' in that folder: a part of an exploration. The
//             run explores it and writes the file `execution' there. If that file has no last line,
//             the unit is not carried out.
//   timeout   seconds, after which the run hangs; more than 0
// A line of a run that is done may be {}: it is there so that the others keep their numbers. Lines
// are only added, so a unit can be carried out with a newer file than the one it was made for.

#ifndef UNIT_TRIES_H
#define UNIT_TRIES_H

#include <stdbool.h>
#include <stddef.h>

#include "run/runs.h"

struct tries {
  struct run_plan *plan;
  unsigned first;
  struct try {
    char *options, *places; // owned
    unsigned char *state;   // owned
    size_t state_size;
    double timeout;
  }
  *at;
  size_t count;
  char digest[65]; // of the lines
  struct run_guide guide;
  char unfit[1024]; // why what has a state did not come to its end; "": all have
};

// Takes the lines of the runs FIRST to LAST. False with a line in REASON. To be freed in any case.
bool tries_read(struct tries *tries, const char *path, unsigned first, unsigned last, char *reason,
                size_t size);

// The plan's runs are these: it gets a guide, and the longest of their timeouts.
void tries_guide(struct tries *tries, struct run_plan *plan);

void tries_free(struct tries *tries);

#endif
