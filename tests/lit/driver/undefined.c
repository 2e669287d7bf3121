// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// robustness,undefined: both are instrumented, one runtime serves both.
//
// RUN: %rsan_clang -### -fsanitize=robustness,undefined %s 2>&1 | FileCheck %s
// CHECK: "-fsanitize=thread,alignment,{{[^"]*}}signed-integer-overflow
// CHECK-SAME: "-D__SANITIZE_ROBUSTNESS__"
// CHECK: libclang_rt.rsan-x86_64.a"
// CHECK-NOT: libclang_rt.ubsan
//
// RUN: %rsan_clang -fsanitize=robustness,undefined -g %s -o %t && %t 2>&1 | FileCheck %s --check-prefix=UB
// RUN: %rsan_clang -fsanitize=robustness -fsanitize=undefined -shared-libsan -g %s -o %t && %t 2>&1 | FileCheck %s --check-prefix=UB
// UB: undefined.c:[[#@LINE+7]]:{{[0-9]+}}: runtime error: signed integer overflow
// UB-NEXT: {{^SUMMARY: .*UndefinedBehavior}}
// RUN: %rsan_clang -fsanitize=robustness -g %s -o %t && %t 2>&1 | count 0
#include <limits.h>

int main(int argc, char **argv) {
  (void)argv;
  return INT_MAX + argc == 0;
}
