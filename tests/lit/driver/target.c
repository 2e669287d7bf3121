// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// There are runtimes for x86_64 and aarch64 Linux only, also where ThreadSanitizer has more.
//
// RUN: not %rsan_clang -### -fsanitize=robustness -m32 %s 2>&1 | FileCheck %s -DT=i386-pc-linux-gnu
// RUN: not %rsan_clang -### -fsanitize=robustness -mx32 %s 2>&1 | FileCheck %s -DT=x86_64-pc-linux-gnux32
// RUN: not %rsan_clang -### -fsanitize=robustness --target=powerpc64le-linux-gnu %s 2>&1 | FileCheck %s -DT=powerpc64le-unknown-linux-gnu
// RUN: not %rsan_clang -### -fsanitize=robustness --target=arm-linux-gnueabihf %s 2>&1 | FileCheck %s -DT=arm-unknown-linux-gnueabihf
// RUN: not %rsan_clang -### -fsanitize=robustness --target=aarch64_be-linux-gnu %s 2>&1 | FileCheck %s -DT=aarch64_be-unknown-linux-gnu
// RUN: not %rsan_clang -### -fsanitize=robustness --target=x86_64-apple-darwin %s 2>&1 | FileCheck %s -DT=x86_64-apple-darwin
// RUN: not %rsan_clang -### -fsanitize=robustness --target=x86_64-unknown-freebsd %s 2>&1 | FileCheck %s -DT=x86_64-unknown-freebsd
// CHECK: error: unsupported option '-fsanitize=robustness' for target '[[T]]
//
// RUN: %rsan_clang -### -fsanitize=thread --target=aarch64-linux-gnu %s 2>&1 | FileCheck %s --check-prefix=OK
// RUN: %rsan_clang -### -fsanitize=robustness --target=x86_64-linux-gnu %s 2>&1 | FileCheck %s --check-prefix=OK
// RUN: %rsan_clang -### -fsanitize=robustness -fno-sanitize=robustness -m32 %s 2>&1 | FileCheck %s --check-prefix=OK
// OK-NOT: error:
//
// RUN: %rsan_clang -### -fsanitize=robustness --target=aarch64-linux-gnu %s 2>&1 | FileCheck %s --check-prefix=ARM
// ARM-NOT: error:
// ARM: "-cc1" "-triple" "aarch64-unknown-linux-gnu" {{.*}}librsan-pass.so
// ARM: {{lib/linux/libclang_rt.rsan-aarch64.a"|aarch64-unknown-linux-gnu/libclang_rt.rsan.a"}}
int main(void) {
  return 0;
}
