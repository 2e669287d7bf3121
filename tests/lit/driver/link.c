// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler proper sees thread, the linker gets the robustness runtime with its list of dynamic
// symbols.
//
// RUN: %rsan_clang -### -fsanitize=robustness %s -o %t 2>&1 | FileCheck %s -DRES=%resource_dir
// CHECK: "-cc1"
// CHECK-SAME: "-resource-dir" "[[RES]]"
// CHECK-SAME: "-fsanitize=thread"
// CHECK-SAME: "-D__SANITIZE_ROBUSTNESS__"
// CHECK: "--whole-archive" "[[RES]]/lib/linux/libclang_rt.rsan-x86_64.a" "--no-whole-archive"
// CHECK-SAME: "--dynamic-list=[[RES]]/lib/linux/libclang_rt.rsan-x86_64.a.syms"
// CHECK-SAME: "-lpthread"
//
// RUN: %rsan_clang -### -fsanitize=robustness %s -o %t 2>&1 | FileCheck %s --check-prefix=ONLY
// ONLY-NOT: libclang_rt.tsan
// ONLY-NOT: rsan_cxx
// ONLY-NOT: "--export-dynamic"
// ONLY-NOT: "-rpath"
//
// Nothing of it without the option, and stock clang has no such option.
// RUN: %rsan_clang -### %s 2>&1 | FileCheck %s --check-prefix=OFF
// OFF-NOT: {{-fsanitize|libclang_rt.rsan|ROBUSTNESS}}
// RUN: not %stock_clang -### -fsanitize=robustness %s 2>&1 | FileCheck %s --check-prefix=STOCK
// STOCK: error: unsupported argument 'robustness' to option '-fsanitize='
//
// A shared library gets no runtime of its own.
// RUN: %rsan_clang -### -fsanitize=robustness -shared -fPIC %s 2>&1 | FileCheck %s --check-prefix=DSO
// DSO: "-fsanitize=thread"
// DSO-NOT: libclang_rt.
//
// RUN: %rsan_clang -### -fsanitize=robustness -fno-sanitize-link-runtime %s 2>&1 | FileCheck %s --check-prefix=DSO
int main(void) {
  return 0;
}
