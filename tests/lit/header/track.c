// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With history=bounded, the first wait for a value that many versions ago was overwritten finds out
// if the value was announced. One half of store buffering after the other; x is 77 once in between
// and at last.
//
// RUN: %build %s -o %t
// RUN: %exits 66 %t 77 2>&1 | FileCheck %s
// RUN: %t 78 2>&1 | count 0
// RUN: %t none 2>&1 | count 0
// RUN: env RSAN_OPTIONS=history=exact %exits 66 %t none 2>&1 | FileCheck %s
// RUN: env RSAN_OPTIONS=history=exact %exits 66 %t 77 2>&1 | FileCheck %s
// RUN: %buildxx -x c++ %s -o %t.cxx
// RUN: %exits 66 %t.cxx 77 2>&1 | FileCheck %s
// RUN: %t.cxx none 2>&1 | count 0
// CHECK: WARNING: ThreadSanitizer: robustness violation
// CHECK: #0 other{{.*}}track.c:
// CHECK: may miss
// CHECK: #0 one
// CHECK: It waits for 77 and would read an older 77 in place of 77.
// CHECK: reported 1 warnings
//
// It announces, and does nothing else: without an analysis, without the sanitizer, and as often as
// one likes, in no order with accesses.
// RUN: env RSAN_OPTIONS=robustness=0 %t 77 2>&1 | count 0
// RUN: %stock_clang -O1 -D_GNU_SOURCE %strict -Wno-unused-command-line-argument %s -pthread -o %t.stock
// RUN: %t.stock 77 2>&1 | count 0
// RUN: %t robust 2>&1 | count 0
#include "access.h"
#include "turns.h"

#include <string.h>

#include "rsan.h"

enum { VERSIONS = 100, WANTED = 77 };
static int x, y;
static const char *what;

static void one(void) {
  for (int i = 0; i < VERSIONS; i++)
    STORE(x, i == VERSIONS / 2 || i == VERSIONS - 1 ? WANTED : VERSIONS + i);
  LOAD(y);
}

static void other(void) {
  STORE(y, 1);
  rsan_wait_value(&x, RSAN_EQ, 0, WANTED, __ATOMIC_RELAXED);
}

// Announced again and again; the value is there at last and was never overwritten.
static void one_robust(void) {
  for (int i = 0; i < VERSIONS; i++) {
    rsan_track(&x, WANTED);
    STORE(x, i < VERSIONS - 1 ? VERSIONS + i : WANTED);
  }
  LOAD(y);
}

int main(int argc, char **argv) {
  what = argc > 1 ? argv[1] : "";
  if (strcmp(what, "77") == 0 || strcmp(what, "robust") == 0)
    rsan_track(&x, 77);
  if (strcmp(what, "78") == 0)
    rsan_track(&x, 78);
  one_then_other(strcmp(what, "robust") == 0 ? one_robust : one, other);
}
