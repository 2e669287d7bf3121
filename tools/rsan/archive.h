// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The members of an ar archive (System V's format, as GNU ar and llvm-ar write it).

#ifndef ARCHIVE_H
#define ARCHIVE_H

#include <stdbool.h>

#include "image.h"

struct archive {
  struct bytes file;
  size_t offset;            // of the next member
  struct bytes names;       // the member "//"
  char name[256];           // of the current member
  struct bytes content;     // of the current member, a copy aligned for image_open
  unsigned char *allocated; // what the copy is in
};

// False if the file is no archive, or a thin one, whose members are elsewhere.
bool archive_open(struct bytes file, struct archive *archive);

// Goes to the next member, symbol tables left out; false at the end, or where the file is broken.
bool archive_next(struct archive *archive);

#endif
