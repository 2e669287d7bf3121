// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts and seeds on the command lines of test programs.

#ifndef RSAN_TESTS_ORACLE_COUNT_H
#define RSAN_TESTS_ORACLE_COUNT_H

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// Ends the program with status 2 if `text` is no number of 64 bits.
static inline uint64_t parse_count(const char *text) {
  char *end;
  errno = 0;
  unsigned long long value = strtoull(text, &end, 0);
  if (errno || *end || end == text || *text == '-') {
    fprintf(stderr, "not a number: %s\n", text);
    exit(2);
  }
  return value;
}

#endif
