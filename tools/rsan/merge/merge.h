// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes one result of the runs of many units: what `rsan run' would know if it had made all of
// them.

#ifndef MERGE_H
#define MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/collection.h"
#include "run/runs.h"

struct merge {
  struct run_plan plan; // folder, schedule and weak: what the summary needs
  struct runs runs;
  struct collection symbols; // how raw frames are symbolized; its entries are not used
  unsigned units, first, last;
  uint64_t most_unpacked; // bytes of the files of an archive; 0: any number

  // By the key of a report in its unit, its token here.
  struct merged_key {
    char key[17], token[17];
  } *keys;
  size_t key_count, key_room; // a hash table, a power of two
  unsigned *folders;          // of runs with reports, which may be shown no more in the end
  size_t folder_count;
};

// Reads the unit's archive and adds its runs. False with a line in REASON: nothing was added.
bool merge_add(struct merge *merge, const char *path, char *reason, size_t size);

// Removes the folders of runs that no report is of any more.
void merge_finish(struct merge *merge);

void merge_free(struct merge *merge);

#endif
