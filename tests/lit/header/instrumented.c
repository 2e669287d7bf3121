// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// True where code and runtime are RSan's, and only there.
//
// RUN: %build %s -o %t && %t | FileCheck %s --check-prefix=YES
// RUN: %buildxx -x c++ %s -o %t && %t | FileCheck %s --check-prefix=YES
// RUN: %build -shared-libsan %s -o %t && %t | FileCheck %s --check-prefix=YES
// RUN: %stock_clang -fsanitize=thread %include %s -o %t && %t | FileCheck %s --check-prefix=NO
// RUN: %stock_clang %include %s -o %t && %t | FileCheck %s --check-prefix=NO
// The code is, the runtime is ThreadSanitizer's.
// RUN: %build -c %s -o %t.o && %stock_clang -fsanitize=thread %t.o -o %t && %t | FileCheck %s --check-prefix=NO
// The runtime is, the code is not.
// RUN: %stock_clang -c %include %s -o %t.o && %rsan_clang -fsanitize=robustness %t.o -o %t && %t | FileCheck %s --check-prefix=NO
// YES: yes, 0
// NO: no, 0
#include <stdio.h>

#include "rsan.h"

int main(void) {
  printf("%s, %lu\n", rsan_check_instrumented() ? "yes" : "no", rsan_violation_count());
}
