// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef FILE_LINE_H
#define FILE_LINE_H

#include <stdio.h>
#include <sys/types.h>

// No line that rsan or its runtime writes is longer. A forged file may hold one of a
// terabyte, a hole.
enum { FILE_LONGEST_LINE = 1 << 26 };

// getline(3), but -1 with errno EFBIG for a line that has more than FILE_LONGEST_LINE bytes. The
// line's end is not read then; feof() tells it from the end of the file.
ssize_t file_line(char **line, size_t *room, FILE *in);

#endif
