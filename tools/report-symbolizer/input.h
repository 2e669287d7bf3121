// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lines of a file or pipe as they come: what was written so far is flushed before a read that may
// block, so that the tool can stand at the end of a running program's pipe.

#ifndef INPUT_H
#define INPUT_H

#include <stdbool.h>
#include <stddef.h>

struct input {
  int fd;
  bool eof;
  char *buffer; // buffer[start..end] is read and not handed out
  size_t start, end, room;
};

void input_begin(struct input *input, int fd);
void input_end(struct input *input); // leaves fd open

// The next line with its newline (the last one may lack it), valid until the next call. Returns 1,
// or 0 at the end, or -1 with errno.
int input_line(struct input *input, const char **text, size_t *length);

#endif
