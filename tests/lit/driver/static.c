// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Static linking: one error that names the option to remove, before the linker is run.
//
// RUN: not %rsan_clang -fsanitize=robustness -static %s -o %t 2>&1 | FileCheck %s -DOPTION=-static
// RUN: not %rsan_clang -fsanitize=robustness -static-pie %s -o %t 2>&1 | FileCheck %s -DOPTION=-static-pie
// RUN: not %rsan_clangxx -fsanitize=robustness,undefined -static -x c++ %s -o %t 2>&1 | FileCheck %s -DOPTION=-static
// CHECK-NOT: {{error|warning}}
// CHECK: error: '-fsanitize=robustness' needs a dynamically linked program (its runtime intercepts the C library): remove '[[OPTION]]'
// CHECK-NOT: {{error|warning}}
//
// Other things that are static, and steps that link no program, are fine.
// RUN: %rsan_clang -### -fsanitize=robustness -static -c %s 2>&1 | FileCheck %s --check-prefix=OK
// RUN: %rsan_clang -### -fsanitize=robustness -static-libgcc %s 2>&1 | FileCheck %s --check-prefix=OK
// RUN: %rsan_clangxx -### -fsanitize=robustness -static-libstdc++ -x c++ %s 2>&1 | FileCheck %s --check-prefix=OK
// RUN: %rsan_clang -### -fsanitize=robustness -static-libsan %s 2>&1 | FileCheck %s --check-prefix=OK
// RUN: %rsan_clang -### -fsanitize=robustness -static -fno-sanitize=robustness %s 2>&1 | FileCheck %s --check-prefix=OK
// RUN: %rsan_clang -### -fsanitize=thread -static %s 2>&1 | FileCheck %s --check-prefix=OK
// OK-NOT: error:
// RUN: %rsan_clang -static %s -o %t && %t
// RUN: %rsan_clangxx -fsanitize=robustness -static-libstdc++ -static-libgcc -x c++ %s -o %t && %t
int main(void) {
  return 0;
}
