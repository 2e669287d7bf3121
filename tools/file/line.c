// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "line.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>

static bool is_short(FILE *in) {
  struct stat status;
  return fstat(fileno(in), &status) == 0 && S_ISREG(status.st_mode) &&
         status.st_size <= FILE_LONGEST_LINE;
}

static bool grow(char **line, size_t *room) {
  size_t wanted = *room * 2 + 4096;
  char *larger = realloc(*line, wanted);
  if (!larger)
    return false;
  *line = larger;
  *room = wanted;
  return true;
}

ssize_t file_line(char **line, size_t *room, FILE *in) {
  size_t used = 0;
  int byte = 0;
  if (is_short(in))
    return getline(line, room, in);
  while (byte != '\n' && (byte = getc_unlocked(in)) != EOF) {
    if (used == FILE_LONGEST_LINE) {
      errno = EFBIG;
      return -1;
    }
    if (used + 2 > *room && !grow(line, room))
      return -1;
    (*line)[used++] = (char)byte;
  }
  if (!used)
    return -1;
  (*line)[used] = 0;
  return (ssize_t)used;
}
