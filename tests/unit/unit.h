// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What every unit test includes first: cmocka with the headers that it asks for, and the check that
// a test has given back all memory of the core.

#ifndef UNIT_H
#define UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "host_libc.h"

// For the end of a teardown function: a block that is still there fails the test.
static inline int unit_check_memory(void) {
  if (rsan_host_live_blocks() == 0)
    return 0;
  fprintf(stderr, "%zu blocks are not freed\n", rsan_host_live_blocks());
  return -1;
}

#endif
