// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "complain.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "printable.h"

static enum status worst;

void complain(enum status status, const char *format, ...) {
  if (status > worst)
    worst = status;
  fflush(stdout);
  va_list arguments;
  va_start(arguments, format);
  put_printable(program_invocation_short_name, stderr);
  fputs(": ", stderr);
  print_line_values(stderr, format, arguments);
  va_end(arguments);
}

enum status complaint_status(void) {
  return worst;
}

void *must_alloc(void *block, size_t size) {
  void *grown = realloc(block, size);
  if (grown)
    return grown;
  complain(STATUS_FAILED, "out of memory");
  exit(STATUS_FAILED);
}

char *must_copy(const char *text, size_t length) {
  char *copy = must_alloc(NULL, length + 1);
  memcpy(copy, text, length);
  copy[length] = '\0';
  return copy;
}
