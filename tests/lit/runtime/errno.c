// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// No atomic access changes errno: not the first one of an object, not a fence, not one that is
// reported.
//
// RUN: %build %s -o %t
// RUN: %exits 66 %t 2>&1 | FileCheck %s
// RUN: env RSAN_OPTIONS=clocks=explicit %exits 66 %t 2>&1 | FileCheck %s
// RUN: env RSAN_OPTIONS=symbolize=0 %exits 66 %t 2>&1 | FileCheck %s
// RUN: env RSAN_OPTIONS=external_symbolizer_path=/nonexistent %exits 66 %t 2>&1 | FileCheck %s
// RUN: env RSAN_OPTIONS=log_path=%t.log %exits 66 %t 2>&1 | FileCheck %s --check-prefix=ELSEWHERE
// CHECK: robustness violation
// CHECK-NOT: errno became
// CHECK: end
// ELSEWHERE-NOT: errno became
// ELSEWHERE: end
#include "access.h"
#include "turns.h"

#include <errno.h>
#include <stdio.h>

enum { OBJECTS = 100 };

static int x[OBJECTS], y[OBJECTS];

static void one(void) {
  for (int i = 0; i < OBJECTS; i++) {
    STORE(x[i], 1);
    LOAD(y[i]);
  }
}

static void check(const char *where) {
  if (errno != 77)
    fprintf(stderr, "errno became %d by %s\n", errno, where);
  errno = 77;
}

static void other(void) {
  static int fresh;
  int expected = 5;
  errno = 77;
  STORE(fresh, 1);
  check("store");
  LOAD(fresh);
  check("load");
  for (int i = 0; i < 1000; i++) // so many that it lets others run
    LOAD(fresh);
  check("loads");
  ADD(fresh, 1);
  check("fetch_add");
  __atomic_compare_exchange_n(&fresh, &expected, 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  check("compare-exchange");
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  check("fence");
  for (int i = 0; i < OBJECTS; i++) {
    STORE(y[i], 1);
    LOAD(x[i]);
    check("report");
  }
}

int main(void) {
  one_then_other(one, other);
  fputs("end\n", stderr);
}
