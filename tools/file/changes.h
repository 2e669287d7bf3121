// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Changes of several files, all of them or none: every new text is written beside its file before
// the first one is renamed to its place, and if that fails for one, the others are put back.

#ifndef FILE_CHANGES_H
#define FILE_CHANGES_H

#include <stddef.h>

#include "target.h"

struct file_change {
  const char *path;
  const char *before, *after; // texts; the file is changed only if it is still as before
  // How far it is: names of files beside it, "" where there is none.
  struct file_target target;
  char made[FILE_BESIDE]; // has the new text
  char kept[FILE_BESIDE]; // has the old text, to put it back
  bool in_place;          // the file has the new text
};

enum file_changes_end {
  FILE_CHANGES_MADE,
  FILE_CHANGES_NONE, // all files are as they were
  FILE_CHANGES_SOME, // some have the new text and could not be put back: IN_PLACE
};

// What went wrong is said on standard error, lines that begin with the program's NAME; in the end
// also which files were changed and which were not.
enum file_changes_end file_changes_make(struct file_change *changes, size_t count,
                                        const char *name);

#endif
