// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a benign region takes out, and that it does so up to its end only.
//
// RUN: %build %s -o %t
// RUN: %t scope 2>&1 | count 0
// RUN: %t calls 2>&1 | count 0
// RUN: %t nested 2>&1 | count 0
// RUN: %t attribute 2>&1 | count 0
// RUN: %t wait 2>&1 | count 0
// RUN: %exits 66 %t nothing 2>&1 | FileCheck %s
// RUN: %exits 66 %t scope-left 2>&1 | FileCheck %s
// RUN: %exits 66 %t calls-over 2>&1 | FileCheck %s
// RUN: %exits 66 %t attribute-left 2>&1 | FileCheck %s
// RUN: %exits 66 %t wait-outside 2>&1 | FileCheck %s
// RUN: %buildxx -x c++ %s -o %t.cxx
// RUN: %t.cxx guard 2>&1 | count 0
// RUN: %exits 66 %t.cxx guard-left 2>&1 | FileCheck %s
// RUN: %exits 66 %t.cxx guard-thrown 2>&1 | FileCheck %s
// CHECK: WARNING: ThreadSanitizer: robustness violation
// CHECK: reported 1 warnings
//
// Without the sanitizer it is nothing.
// RUN: %stock_clang -O1 -S -emit-llvm %strict -DPLAIN %s -o - | FileCheck %s --check-prefix=PLAIN
// PLAIN-NOT: call
// PLAIN-LABEL: @plain(
// PLAIN-NEXT: ret
#include "rsan.h"

#ifdef PLAIN
void plain(int *p);
void plain(int *p) {
  RSAN_BENIGN_SCOPE();
  RSAN_BENIGN_BEGIN();
  rsan_happens_before(p);
  rsan_happens_after(p);
  RSAN_BENIGN_END();
}
#else
#include "access.h"
#include "turns.h"

#include <string.h>

static int x, y;
static const char *what;

static int is(const char *word) {
  return strcmp(what, word) == 0;
}

static void one(void) {
  STORE(x, 1);
  LOAD(y);
}

static void other_half(void) {
  STORE(y, 1);
  if (strncmp(what, "wait", 4) == 0)
    rsan_wait_value(&x, RSAN_NE, 0, 5, __ATOMIC_RELAXED);
  else
    LOAD(x);
}

RSAN_IGNORE static void ignored(void) {
  if (is("attribute"))
    other_half();
}

static void scope(void) {
  for (int i = 0; i < 2; i++) {
    RSAN_BENIGN_SCOPE();
    if (i == 1)
      return;
    if (is("scope") || is("wait"))
      other_half();
  }
}

static void calls(void) {
  RSAN_BENIGN_BEGIN();
  RSAN_BENIGN_BEGIN();
  RSAN_BENIGN_END();
  if (is("nested"))
    other_half();
  RSAN_BENIGN_END();
  rsan_benign_begin();
  if (is("calls"))
    other_half();
  rsan_benign_end();
}

#ifdef __cplusplus
static void guard() {
  rsan::benign_region region;
  if (is("guard"))
    other_half();
  if (is("guard-thrown"))
    throw 1;
}
#endif

static void other(void) {
  scope();
  calls();
  ignored();
#ifdef __cplusplus
  try {
    guard();
  } catch (int) {
  }
#endif
  if (strchr(what, '-') || is("nothing"))
    other_half();
}

int main(int argc, char **argv) {
  what = argc > 1 ? argv[1] : "";
  LOAD(x);
  one_then_other(one, other);
}
#endif
