// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "input.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "complain.h"
#include "file/line.h"

enum { READ_SIZE = 1 << 16 };

void input_begin(struct input *input, int fd) {
  *input = (struct input){.fd = fd};
}

void input_end(struct input *input) {
  free(input->buffer);
  input->buffer = NULL;
}

static int read_more(struct input *input) {
  if (input->end - input->start > FILE_LONGEST_LINE) {
    errno = EFBIG;
    return -1;
  }
  if (input->start > 0) {
    memmove(input->buffer, input->buffer + input->start, input->end - input->start);
    input->end -= input->start;
    input->start = 0;
  }
  if (input->room - input->end < READ_SIZE) {
    input->room = input->room * 2 + READ_SIZE;
    input->buffer = must_alloc(input->buffer, input->room);
  }
  fflush(stdout);
  ssize_t count;
  do
    count = read(input->fd, input->buffer + input->end, input->room - input->end);
  while (count < 0 && errno == EINTR);
  if (count < 0)
    return -1;
  input->eof = count == 0;
  input->end += (size_t)count;
  return 0;
}

int input_line(struct input *input, const char **text, size_t *length) {
  size_t searched = 0; // of the bytes at hand, known to hold no newline
  for (;;) {
    size_t at_hand = input->end - input->start;
    const char *begin = input->buffer ? input->buffer + input->start : NULL;
    const char *newline =
        at_hand > searched ? memchr(begin + searched, '\n', at_hand - searched) : NULL;
    if (newline || (input->eof && at_hand > 0)) {
      *text = begin;
      *length = newline ? (size_t)(newline - begin) + 1 : at_hand;
      input->start += *length;
      return 1;
    }
    if (input->eof)
      return 0;
    searched = at_hand;
    if (read_more(input) < 0)
      return -1;
  }
}
