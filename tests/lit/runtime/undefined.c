// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// -fsanitize=robustness,undefined: both report, neither disturbs the other.
//
// RUN: %build -fsanitize=undefined %s -o %t
// RUN: %exits 66 %t both 2>&1 | FileCheck %s --check-prefixes=UB,VIOLATION
// RUN: %exits 66 %t violation 2>&1 | FileCheck %s --check-prefixes=VIOLATION,NOUB
// RUN: %t overflow 2>&1 | FileCheck %s --check-prefixes=UB,NOVIOLATION
// RUN: %t nothing 2>&1 | count 0
// UB: undefined.c:[[#@LINE+23]]:{{[0-9]+}}: runtime error: signed integer overflow: 2147483647 + 1 cannot be represented
// NOUB-NOT: runtime error
// VIOLATION: WARNING: ThreadSanitizer: robustness violation
// VIOLATION: #0 other
// VIOLATION: reported 1 warnings
// NOUB-NOT: runtime error
// NOVIOLATION-NOT: WARNING
//
// RUN: %build -fsanitize=undefined -fno-sanitize-recover=undefined %s -o %t.trap
// RUN: not %t.trap both 2>&1 | FileCheck %s --check-prefixes=UB,NOVIOLATION
// RUN: %exits 66 %t.trap violation 2>&1 | FileCheck %s --check-prefixes=VIOLATION,NOUB
// RUN: env UBSAN_OPTIONS=print_stacktrace=1 %t overflow 2>&1 | FileCheck %s --check-prefix=STACK
// STACK: runtime error: signed integer overflow
// STACK: #0 {{.*}}undefined.c:
#include "access.h"
#include "turns.h"

#include <limits.h>
#include <string.h>

static int x, y;

__attribute__((noinline)) static int overflow(int number) {
  return number + 1;
}

static void one(void) {
  STORE(x, 1);
  LOAD(y);
}

static void other(void) {
  STORE(y, 1);
  LOAD(x);
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  if (strcmp(what, "overflow") == 0 || strcmp(what, "both") == 0)
    overflow(INT_MAX);
  if (strcmp(what, "violation") == 0 || strcmp(what, "both") == 0)
    one_then_other(one, other);
}
