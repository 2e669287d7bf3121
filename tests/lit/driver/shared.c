// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The shared runtime is found by the program itself, wherever the tree is.
//
// RUN: %rsan_clang -### -fsanitize=robustness -shared-libsan %s 2>&1 | FileCheck %s -DRES=%resource_dir
// CHECK: "[[RES]]/lib/linux/libclang_rt.rsan-x86_64.so"
// CHECK-SAME: "-rpath" "[[RES]]/lib/linux"
// CHECK-NOT: libclang_rt.rsan-x86_64.a
//
// RUN: %rsan_clang -### -fsanitize=robustness -shared-libsan -fno-rtlib-add-rpath %s 2>&1 | FileCheck %s --check-prefix=NOPATH
// RUN: %rsan_clang -### -fsanitize=thread -shared-libsan %s 2>&1 | FileCheck %s --check-prefix=NOPATH
// NOPATH: libclang_rt.{{[rt]}}san-x86_64.so"
// NOPATH-NOT: "-rpath"
//
// RUN: %rsan_clang -fsanitize=robustness -shared-libsan %s -o %t && %t
// RUN: %rsan_clangxx -fsanitize=robustness -shared-libsan -x c++ %s -o %t && %t
// RUN: %llvm_prefix/bin/llvm-readelf -d %t | FileCheck %s --check-prefix=NEEDED
// NEEDED: (NEEDED) {{.*}}[libclang_rt.rsan-x86_64.so]
//
// With a shared library of the user's.
// RUN: %rsan_clang -fsanitize=robustness -shared-libsan -shared -fPIC -DLIBRARY %s -o %t.so
// RUN: %rsan_clang -fsanitize=robustness -shared-libsan -DPROGRAM %s %t.so -o %t && %t
// RUN: %rsan_clang -fsanitize=robustness -shared -fPIC -DLIBRARY %s -o %t.so
// RUN: %rsan_clang -fsanitize=robustness -DPROGRAM %s %t.so -o %t && %t
#ifndef PROGRAM
int library(void) {
  return 0;
}
#endif
#ifndef LIBRARY
int library(void);
int main(void) {
  return library();
}
#endif
