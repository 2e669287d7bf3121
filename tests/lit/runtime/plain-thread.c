// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Built with -fsanitize=thread, a program that is not robust says nothing and carries nothing of
// RSan; with -fsanitize=robustness it is reported.
//
// RUN: %rsan_clang -fsanitize=thread -D_GNU_SOURCE -g -O1 -I%S/Inputs %s -o %t.thread
// RUN: %t.thread 2>&1 | count 0
// RUN: env RSAN_OPTIONS=help=1:robustness=1 %t.thread 2>&1 | count 0
// RUN: %llvm_prefix/bin/llvm-nm %t.thread | FileCheck %s --check-prefix=SYMBOLS
// RUN: %llvm_prefix/bin/llvm-strings %t.thread | grep -vF -e %source_dir -e %build_dir | FileCheck %s --check-prefix=SYMBOLS
// SYMBOLS-NOT: {{[rR]san|robustness|RSAN}}
//
// RUN: %build %s -o %t
// RUN: %exits 66 %t 2>&1 | FileCheck %s
// CHECK: robustness violation
// RUN: %llvm_prefix/bin/llvm-nm %t | FileCheck %s --check-prefix=OURS
// OURS: __rsan_violation_count
#include "access.h"
#include "turns.h"

static int x, y;

static void one(void) {
  STORE(x, 1);
  LOAD(y);
}

static void other(void) {
  STORE(y, 1);
  LOAD(x);
}

int main(void) {
  one_then_other(one, other);
}
