// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runs of one unit, from its runs.jsonl.

#ifndef MERGE_PAST_H
#define MERGE_PAST_H

#include "run/history.h"

struct past {
  struct past_line {
    struct past_run run;
    cJSON *tree; // has the tokens
  } *at;         // sorted by number
  size_t count;
};

// Takes the text, which is written to. It must have each run from FIRST to LAST once, and no other.
// False with a line in REASON. To be freed in any case.
bool past_read(struct past *past, char *text, unsigned first, unsigned last, char *reason,
               size_t size);

void past_free(struct past *past);

#endif
