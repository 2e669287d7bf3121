// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Changed copies of the sources in a folder, with overlay.yaml: what clang's -ivfsoverlay reads to
// take each copy for the file itself.

#ifndef OVERLAY_H
#define OVERLAY_H

#include <stdbool.h>
#include <stdio.h>

struct overlay {
  const char *folder; // NULL: none is written
  FILE *file;         // overlay.yaml as it grows, in memory
  char *text;
  size_t size;
  unsigned count;
};

// Each false, after a message, if something cannot be written.
bool overlay_open(struct overlay *overlay, const char *folder);
bool overlay_add(struct overlay *overlay, const char *path, const char *text);

// WHOLE: all has been added, and overlay.yaml may name it.
bool overlay_close(struct overlay *overlay, bool whole);

#endif
