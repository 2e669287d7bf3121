// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Without a symbolizer the report is still there, and one line says why it names nothing and what
// to do.
//
// RUN: %build %s -o %t
// RUN: env RSAN_OPTIONS=external_symbolizer_path=/nonexistent %exits 66 %t 2>&1 | FileCheck %s -DTOOL=/nonexistent
// RUN: env RSAN_OPTIONS=external_symbolizer_path=%t.nowhere/llvm-symbolizer %exits 66 %t 2>&1 | FileCheck %s -DTOOL=%t.nowhere/llvm-symbolizer
// RUN: env RSAN_OPTIONS=external_symbolizer_path= %exits 66 %t 2>&1 | FileCheck %s "-DTOOL=''"
// RUN: env TSAN_SYMBOLIZER_PATH= %exits 66 %t 2>&1 | FileCheck %s "-DTOOL=''"
// CHECK-NOT: robustness violation
// CHECK: {{^.*}}[[TOOL]]{{.*(external_symbolizer_path|install).*$}}
// CHECK-NOT: [[TOOL]]
// CHECK: WARNING: ThreadSanitizer: robustness violation
// CHECK: Atomic read of size 4 {{.*}} (memory_order_relaxed):
// CHECK-NEXT: #0 {{.*}}symbolizer.c.tmp+0x
// CHECK: WARNING: ThreadSanitizer: robustness violation
// CHECK: reported 2 warnings
//
// A program that is no symbolizer: one line, the program does not start.
// RUN: env RSAN_OPTIONS=external_symbolizer_path=%t not %t 2>&1 | FileCheck %s --check-prefix=OTHER -DTOOL=%t
// OTHER-NOT: violation
// OTHER: ERROR{{.*}}'[[TOOL]]'{{.*}}llvm-symbolizer
// OTHER-NOT: violation
//
// Named by either variable, or by the other options' own variable.
// RUN: env RSAN_OPTIONS=external_symbolizer_path=%llvm_prefix/bin/llvm-symbolizer %exits 66 %t 2>&1 | FileCheck %s --check-prefix=FOUND
// RUN: env TSAN_OPTIONS=external_symbolizer_path=%llvm_prefix/bin/llvm-symbolizer %exits 66 %t 2>&1 | FileCheck %s --check-prefix=FOUND
// RUN: env TSAN_SYMBOLIZER_PATH=%llvm_prefix/bin/llvm-symbolizer %exits 66 %t 2>&1 | FileCheck %s --check-prefix=FOUND
// The one that the runtime was built with needs no PATH.
// RUN: env PATH=%S /bin/sh %S/Inputs/exits 66 %t 2>&1 | FileCheck %s --check-prefix=FOUND
// FOUND-NOT: symbolizer
// FOUND: WARNING: ThreadSanitizer: robustness violation
// FOUND: #0 other {{.*}}symbolizer.c:{{[0-9]+:[0-9]+}}
//
// Nobody asked for names: nothing to say about them. Addresses can be resolved later.
// RUN: env 'RSAN_OPTIONS=symbolize=0:stack_trace_format="    #%%n %%p (%%m+%%o)"' %exits 66 %t 2>&1 | FileCheck %s --check-prefix=RAW
// RAW-NOT: external_symbolizer_path
// RAW: {{^    #0 0x[0-9a-f]+ \(.*/symbolizer.c.tmp\+0x[0-9a-f]+\)$}}
#include "access.h"
#include "turns.h"

static int x[2], y[2];

static void one(void) {
  STORE(x[0], 1);
  LOAD(y[0]);
  STORE(x[1], 1);
  LOAD(y[1]);
}

static void other(void) {
  STORE(y[0], 1);
  LOAD(x[0]);
  STORE(y[1], 1);
  LOAD(x[1]);
}

int main(void) {
  one_then_other(one, other);
}
