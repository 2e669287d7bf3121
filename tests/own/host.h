// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The core's host (rsan/host.h), for programs that have code of the core in them as it is. It has
// to come before that code. With -DWEAKENED the program says what is missing, by macros in place of
// the names of <stdatomic.h>.

#ifndef RSAN_TEST_OWN_HOST_H
#define RSAN_TEST_OWN_HOST_H

#include <sched.h>
#include <stdlib.h>

#include "../../rsan/host.h"

void *rsan_host_alloc(size_t size) {
  return malloc(size);
}

void rsan_host_free(void *block) {
  free(block);
}

void rsan_host_die(const char *message) {
  (void)message;
  abort();
}

void rsan_host_yield(void) {
  sched_yield();
}

void *rsan_host_memcpy(void *to, const void *from, size_t size) {
  for (size_t i = 0; i < size; i++)
    ((char *)to)[i] = ((const char *)from)[i];
  return to;
}

void *rsan_host_memset(void *to, int byte, size_t size) {
  for (size_t i = 0; i < size; i++)
    ((char *)to)[i] = (char)byte;
  return to;
}

#endif
