// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MUST(call) ends the program with a message and status 9 if the call returns a negative number.

#ifndef MUST_H
#define MUST_H

#include <stdio.h>
#include <stdlib.h>

static void fail(const char *what) {
  perror(what);
  exit(9);
}

#define MUST(call)                                                                                 \
  do {                                                                                             \
    if ((call) < 0)                                                                                \
      fail(#call);                                                                                 \
  } while (0)

#endif
