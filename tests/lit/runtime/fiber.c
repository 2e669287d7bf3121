// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fibers are threads of their own. A plain switch orders what is before it and what is after; one
// without synchronisation does not, and then a violation between two fibers of one thread is found.
//
// RUN: %build %s -o %t
// RUN: %t sync 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: %t many 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: env RSAN_OPTIONS=clocks=explicit %t sync 2>&1 | FileCheck %s --check-prefix=NONE
// NONE-NOT: WARNING
// NONE: end
// RUN: %exits 66 %t nosync 2>&1 | FileCheck %s
// RUN: env RSAN_OPTIONS=clocks=explicit %exits 66 %t nosync 2>&1 | FileCheck %s
// CHECK: WARNING: ThreadSanitizer: robustness violation
// CHECK: Atomic read of size 4 at {{.*}} by thread T2 (memory_order_relaxed):
// CHECK-NEXT: #0 other {{.*}}fiber.c:
// CHECK: may miss the atomic write of size 4 by thread T1 (memory_order_relaxed):
// CHECK-NEXT: #0 one {{.*}}fiber.c:
// CHECK: Thread T2 'second' (tid={{[0-9]+}}, running) created by main thread at:
// CHECK: Thread T1 'first' (tid={{[0-9]+}}, running) created by main thread at:
// CHECK: end
// CHECK: reported 1 warnings
#include "access.h"

#include <stdio.h>
#include <string.h>

void *__tsan_get_current_fiber(void);
void *__tsan_create_fiber(unsigned flags);
void __tsan_destroy_fiber(void *fiber);
void __tsan_switch_to_fiber(void *fiber, unsigned flags);
void __tsan_set_fiber_name(void *fiber, const char *name);

enum { NO_SYNC = 1, FIBERS = 3000 };

static int x, y;

__attribute__((noinline)) static void one(void) {
  STORE(x, 1);
  LOAD(y);
}

__attribute__((noinline)) static void other(void) {
  STORE(y, 1);
  LOAD(x);
}

// As a coroutine library would do beside switching the stacks.
int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  void *thread = __tsan_get_current_fiber();
  if (strcmp(what, "many") == 0) {
    for (int i = 0; i < FIBERS; i++) {
      void *fiber = __tsan_create_fiber(0);
      __tsan_switch_to_fiber(fiber, 0);
      ADD(x, 1);
      __atomic_store_n(&y, i, __ATOMIC_RELEASE);
      __tsan_switch_to_fiber(thread, 0);
      __tsan_destroy_fiber(fiber);
    }
  } else {
    unsigned flags = strcmp(what, "nosync") == 0 ? NO_SYNC : 0;
    void *first = __tsan_create_fiber(0), *second = __tsan_create_fiber(0);
    __tsan_set_fiber_name(first, "first");
    __tsan_set_fiber_name(second, "second");
    __tsan_switch_to_fiber(first, flags);
    one();
    __tsan_switch_to_fiber(second, flags);
    other();
    __tsan_switch_to_fiber(thread, flags);
    __tsan_destroy_fiber(first);
    __tsan_destroy_fiber(second);
  }
  fputs("end\n", stderr);
}
