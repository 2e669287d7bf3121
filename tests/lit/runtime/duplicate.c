// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pair of places in the source is reported once, however often, on however many objects and from
// wherever it is met; with report_all=1 a pair of stacks is.
//
// RUN: %build %s -o %t
// RUN: %exits 66 %t same 2>&1 | FileCheck %s --check-prefixes=ONCE
// RUN: env RSAN_OPTIONS=suppress_equal_stacks=0 %exits 66 %t same 2>&1 | FileCheck %s --check-prefix=ALL
// RUN: %exits 66 %t reader 2>&1 | FileCheck %s --check-prefix=READER
// RUN: %exits 66 %t writer 2>&1 | FileCheck %s --check-prefix=WRITER
// RUN: %exits 66 %t caller 2>&1 | FileCheck %s --check-prefix=FURTHER
// RUN: env RSAN_OPTIONS=report_all=1 %exits 66 %t caller 2>&1 | FileCheck %s --check-prefix=CALLER
// RUN: env RSAN_OPTIONS=report_format=json %exits 66 %t caller 2>&1 | count 1
//
// ONCE: WARNING: ThreadSanitizer: robustness violation
// ONCE-NOT: WARNING
// ONCE: reported 1 warnings
//
// ALL-COUNT-20: WARNING: ThreadSanitizer: robustness violation
// ALL-NOT: WARNING
// ALL: reported 20 warnings
//
// READER: SUMMARY: {{.*}} in load_a
// READER: SUMMARY: {{.*}} in load_b
// READER: reported 2 warnings
//
// WRITER: may miss
// WRITER-NEXT: #0 store_a
// WRITER: SUMMARY: {{.*}} in load_a
// WRITER: may miss
// WRITER-NEXT: #0 store_b
// WRITER: SUMMARY: {{.*}} in load_a
// WRITER: reported 2 warnings
//
// FURTHER: robustness violation
// FURTHER-NOT: WARNING
// FURTHER: reported 1 warnings
// FURTHER-NEXT: {{^}}ThreadSanitizer: 1 further violations at places that were reported (report_all=1 reports each){{$}}
//
// ONCE-NOT: further
// CALLER: #0 load_a
// CALLER-NEXT: #1 other
// CALLER: #0 load_a
// CALLER-NEXT: #1 through_b
// CALLER-NEXT: #2 other
// CALLER-NOT: further
// CALLER: reported 2 warnings
//
// What is not printed is counted all the same.
// RUN: env RSAN_OPTIONS=stats=1 %exits 66 %t same 2>&1 | FileCheck %s --check-prefix=STATS
// STATS: WARNING
// STATS-NOT: WARNING
// STATS: violations 20 {{.*}}found
//
// RUN: env RSAN_OPTIONS=report_violations=0:stats=1 %t same 2>&1 | FileCheck %s --check-prefix=SILENT
// SILENT-NOT: WARNING
// SILENT: violations 20 {{.*}}found
//
// RUN: %build -DREPAIRED %s -o %t.repaired
// RUN: env RSAN_OPTIONS=suppress_equal_stacks=0 %t.repaired same 2>&1 | count 0
// RUN: env RSAN_OPTIONS=stats=1 %t.repaired same 2>&1 | FileCheck %s --check-prefix=ZERO
// ZERO: violations 0 {{.*}}found
#include "access.h"
#include "turns.h"

#include <string.h>

enum { OBJECTS = 20 };

static const char *what;
static int x[OBJECTS], y[OBJECTS];

static int is(const char *word) {
  return strcmp(what, word) == 0;
}

__attribute__((noinline)) static void store_a(int i) {
  STORE(x[i], 1);
}

__attribute__((noinline)) static void store_b(int i) {
  STORE(x[i], 1);
}

__attribute__((noinline)) static int load_a(int i) {
  return LOAD(x[i]);
}

__attribute__((noinline)) static int load_b(int i) {
  return LOAD(x[i]);
}

__attribute__((noinline)) static int through_b(int i) {
  int value = load_a(i);
  __asm__ volatile("" ::: "memory"); // no tail call
  return value;
}

static void fence(void) {
#ifdef REPAIRED
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}

static void one(void) {
  for (int i = 0; i < OBJECTS; i++) {
    if (is("writer") && i % 2)
      store_b(i);
    else
      store_a(i);
    fence();
    LOAD(y[i]);
  }
}

static void other(void) {
  for (int i = 0; i < OBJECTS; i++) {
    STORE(y[i], 1);
    fence();
    if (is("reader") && i % 2)
      load_b(i);
    else if (is("caller") && i % 2)
      through_b(i);
    else
      load_a(i);
  }
}

int main(int argc, char **argv) {
  what = argc > 1 ? argv[1] : "";
  one_then_other(one, other);
}
