// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Is a source still the text that a program was built from? The line table of DWARF 5 has the MD5
// of each file, or with -gembed-source its text. Where it has neither, the times of the files
// decide.

#ifndef BUILT_H
#define BUILT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "rule.h"

// A file of a line table.
struct built_file {
  const char *binary;
  char *path; // with links resolved; of DWARF 4, whose tables do not tell the folder, the last part
  char *md5;  // in hexadecimal digits, NULL if there is none
  char *text; // NULL: not embedded
};

// A source that was compiled with the file in it, and the folder that the compiler ran in.
struct includer {
  char *file, *source, *folder;
};

struct built {
  struct includer *includers; // of files that are not compiled themselves
  size_t includer_count;
  struct built_file *at;
  size_t count;
  const char *const *binaries; // NULL at their end
};

// Reads what the line tables of the programs say of the files of the rules. False after a message.
bool built_read(struct built *built, const char *const *binaries, const struct rules *rules);

// False with a reason if the file is not the one that the programs were built from. What decides
// less surely than a checksum is said on standard error.
bool built_check(const struct built *built, const char *path, const char *text, char *reason,
                 size_t size);

// The NUMBERth source that was compiled with PATH in it, NULL behind the last one; there is none if
// PATH itself was compiled.
const struct includer *built_includer(const struct built *built, const char *path, size_t number);

// By the times of the two.
bool built_is_newer(const struct stat *one, const struct stat *other);

void built_free(struct built *built);

#endif
