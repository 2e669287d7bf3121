// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "archive.h"

#include <ar.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool archive_open(struct bytes file, struct archive *archive) {
  *archive = (struct archive){.file = file, .offset = SARMAG};
  return file.size >= SARMAG && memcmp(file.at, ARMAG, SARMAG) == 0;
}

// The member's name: "name/", or "/N" where N is the place of a longer one in "//".
static void set_name(struct archive *archive, const char *field) {
  const char *text = field;
  size_t size = sizeof((struct ar_hdr *)0)->ar_name;
  if (field[0] == '/' && field[1] >= '0' && field[1] <= '9') {
    size_t place = strtoul(field + 1, NULL, 10);
    if (place > archive->names.size)
      place = archive->names.size;
    text = (const char *)archive->names.at + place;
    size = archive->names.size - place;
  }
  size_t length = 0;
  while (length < size && length < sizeof archive->name - 1 && text[length] != '/' &&
         text[length] != '\n')
    length++;
  snprintf(archive->name, sizeof archive->name, "%.*s", (int)length, text);
}

bool archive_next(struct archive *archive) {
  struct ar_hdr header;
  struct bytes file = archive->file;
  for (;;) {
    if (archive->offset > file.size || file.size - archive->offset < sizeof header)
      break;
    memcpy(&header, file.at + archive->offset, sizeof header);
    size_t begin = archive->offset + sizeof header;
    size_t size = strtoul(header.ar_size, NULL, 10);
    if (memcmp(header.ar_fmag, ARFMAG, 2) != 0 || size > file.size - begin)
      break;
    archive->offset = begin + size + size % 2;
    if (memcmp(header.ar_name, "// ", 3) == 0) {
      archive->names = (struct bytes){file.at + begin, size};
      continue;
    }
    if (memcmp(header.ar_name, "/ ", 2) == 0 || memcmp(header.ar_name, "/SYM64/", 7) == 0)
      continue;
    set_name(archive, header.ar_name);
    free(archive->allocated);
    archive->allocated = malloc(size + 1);
    if (!archive->allocated)
      break;
    memcpy(archive->allocated, file.at + begin, size);
    archive->content = (struct bytes){archive->allocated, size};
    return true;
  }
  free(archive->allocated);
  archive->allocated = NULL;
  return false;
}
