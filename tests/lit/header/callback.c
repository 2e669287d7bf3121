// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The callback is called once for each violation that is reported: not for the same pair of stacks
// again, not for one that is suppressed, not for a data race.
//
// RUN: %build %s -o %t
// RUN: %exits 66 %t 2>&1 | FileCheck %s
// RUN: %buildxx -x c++ %s -o %t.cxx && %exits 66 %t.cxx 2>&1 | FileCheck %s
// RUN: %build -shared-libsan -fvisibility=hidden %s -o %t.shared && %exits 66 %t.shared 2>&1 | FileCheck %s
// CHECK: read of 4 bytes by 2, x; missed: write by 1, x
// CHECK: write of 4 bytes by 8, y; missed: write by 7, y
// CHECK: data race
// CHECK-NOT: bytes by
// CHECK: 2 calls, 4 flagged
//
// RUN: echo 'robustness:writes_second' >%t.list
// RUN: env RSAN_OPTIONS=suppressions=%t.list %exits 66 %t 2>&1 | FileCheck %s --check-prefix=SUPPRESSED
// SUPPRESSED: 1 calls, 4 flagged
//
// RUN: %stock_clang -O1 %include %s -o %t.plain && %t.plain 2>&1 | FileCheck %s --check-prefix=PLAIN
// PLAIN: 0 calls, 0 flagged
#include "access.h"
#include "turns.h"

#include <stdio.h>

#include "rsan.h"

static int x, y, z, plain, calls;

UNSEEN static const char *name(const void *address) {
  return address == &x ? "x" : address == &y ? "y" : "elsewhere";
}

UNSEEN static void on_violation(const struct rsan_violation_report *violation) {
  const struct rsan_violation_access *access = &violation->access, *missed = &violation->missed;
  calls++;
  fprintf(stderr, "%s of %d bytes by %d, %s; missed: %s by %d, %s%s\n",
          access->writes ? "write" : "read", access->size, access->thread, name(access->address),
          missed->writes ? "write" : "read", missed->thread, name(missed->address),
          access->stack[0] && missed->stack[0] && !access->stack[RSAN_STACK_FRAMES - 1]
              ? ""
              : ", without stacks");
}
RSAN_ON_VIOLATION(on_violation);

static void reads_first(void) {
  STORE(x, 1);
  LOAD(y);
}

static void reads_second(void) {
  STORE(y, 1);
  LOAD(x);
}

static void writes_first(void) {
  STORE(y, 2);
  STORE(z, 1);
}

static void writes_second(void) {
  LOAD(z);
  STORE(y, 3);
}

static void races(void) {
  plain++;
}

int main(void) {
  LOAD(x);
  for (int i = 0; i < 3; i++)
    one_then_other(reads_first, reads_second);
  one_then_other(writes_first, writes_second);
  one_then_other(races, races);
  fprintf(stderr, "%d calls, %lu flagged\n", calls, rsan_violation_count());
}
