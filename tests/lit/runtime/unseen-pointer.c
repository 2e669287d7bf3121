// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pointer whose initial value the dynamic linker has made, in a position-independent program: it
// was written by nobody, as it is where the linker has made it. If other code has given it another
// value, that was not seen.
//
// RUN: %build -fPIE -pie %s -o %t
// RUN: %build -fno-pie -no-pie %s -o %t.fixed
// RUN: env RSAN_OPTIONS=stats=1 %t 2>&1 | FileCheck %s
// RUN: env RSAN_OPTIONS=stats=1 %t.fixed 2>&1 | FileCheck %s
// CHECK: foreign_writes 0
// CHECK-NEXT: unseen_writes 0
// RUN: env RSAN_OPTIONS=stats=1 %t other 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: env RSAN_OPTIONS=stats=1 %t.fixed other 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: unseen_writes 1
#include "turns.h"

static int one, other;
static int *pointer = &one;

UNSEEN static void set(int *value) {
  __atomic_store_n(&pointer, value, __ATOMIC_RELEASE);
}

static void look(void) {
  if (!__atomic_load_n(&pointer, __ATOMIC_ACQUIRE))
    abort();
}

int main(int argc, char **argv) {
  (void)argv;
  if (argc > 1)
    set(&other);
  look();
  return 0;
}
