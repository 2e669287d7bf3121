// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// -fno-sanitize= in every form; the last word on the command line counts.
//
// RUN: %rsan_clang -### -fsanitize=robustness -fno-sanitize=robustness %s 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: %rsan_clang -### -fsanitize=robustness -fno-sanitize=thread %s 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: %rsan_clang -### -fsanitize=robustness -fno-sanitize=all %s 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: %rsan_clang -### -fsanitize=robustness,thread -fno-sanitize=all %s 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: %rsan_clang -### -fsanitize=robustness,thread -fno-sanitize=thread %s 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: "-cc1"
// NONE-NOT: {{-fsanitize|ROBUSTNESS|libclang_rt}}
//
// Taking robustness away leaves a thread that was asked for, as plain ThreadSanitizer.
// RUN: %rsan_clang -### -fsanitize=robustness,thread -fno-sanitize=robustness %s 2>&1 | FileCheck %s --check-prefix=THREAD
// RUN: %rsan_clang -### -fsanitize=thread -fno-sanitize=robustness %s 2>&1 | FileCheck %s --check-prefix=THREAD
// RUN: %rsan_clang -### -fsanitize=robustness -fno-sanitize=thread -fsanitize=thread %s 2>&1 | FileCheck %s --check-prefix=THREAD
// THREAD: "-fsanitize=thread"
// THREAD-NOT: {{ROBUSTNESS|libclang_rt.rsan}}
// THREAD: libclang_rt.tsan-x86_64.a"
// THREAD-NOT: {{ROBUSTNESS|libclang_rt.rsan}}
//
// RUN: %rsan_clang -### -fno-sanitize=robustness -fsanitize=robustness %s 2>&1 | FileCheck %s --check-prefix=ON
// RUN: %rsan_clang -### -fno-sanitize=all -fsanitize=robustness %s 2>&1 | FileCheck %s --check-prefix=ON
// RUN: %rsan_clang -### -fno-sanitize=thread -fsanitize=robustness %s 2>&1 | FileCheck %s --check-prefix=ON
// ON: "-fsanitize=thread"
// ON-SAME: "-D__SANITIZE_ROBUSTNESS__"
// ON: libclang_rt.rsan-x86_64.a"
//
// RUN: %rsan_clang -### -fsanitize=robustness,undefined -fno-sanitize=robustness %s 2>&1 | FileCheck %s --check-prefix=UBSAN
// UBSAN: "-fsanitize={{[^"]*}}alignment
// UBSAN-NOT: {{ROBUSTNESS|libclang_rt.[rt]san}}
// UBSAN: libclang_rt.ubsan_standalone-x86_64.a"
int main(void) {
  return 0;
}
