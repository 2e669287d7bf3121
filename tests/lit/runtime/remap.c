// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A mapping that shrinks in place keeps its last page whole: a flag there, behind the new size,
// still orders the data.
//
// RUN: %build %s -o %t && %t 2>&1 | count 0
// RUN: %build -DORDER=__ATOMIC_RELAXED %s -o %t && %exits 66 %t 2>&1 | FileCheck %s
// CHECK: WARNING: ThreadSanitizer: robustness violation
// CHECK: Location is global 'data'
#include "access.h"
#include "turns.h"

#include <sys/mman.h>

#ifndef ORDER
#define ORDER __ATOMIC_RELEASE
#endif

enum { PAGE = 4096 };

static int data, step, *flag;
static char *map;

static void one(void) {
  STORE(data, 1);
  __atomic_store_n(flag, 1, ORDER);
  if (mremap(map, 2 * PAGE, 100, 0) != map)
    exit(5);
  ADD(step, 1);
}

static void other(void) {
  __atomic_load_n(flag, __ATOMIC_ACQUIRE);
  ADD(step, 1);
  LOAD(data);
}

int main(void) {
  map = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  flag = (int *)(map + 200);
  one_then_other(one, other);
}
