// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the programs of this folder share. Each is a protocol of the runtime or of the core, in a
// test that `rsan check` explores; with -DWEAKENED one order or fence of it is missing.

#ifndef RSAN_TEST_OWN_H
#define RSAN_TEST_OWN_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

// What must hold in each execution.
static inline void always(bool condition) {
  if (!condition)
    abort();
}

static inline int run_threads(void *(*one)(void *), void *(*other)(void *)) {
  pthread_t a, b;
  if (pthread_create(&a, NULL, one, NULL) || pthread_create(&b, NULL, other, NULL))
    return 2;
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}

#endif
