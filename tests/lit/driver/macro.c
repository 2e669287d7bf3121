// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %rsan_clang -fsanitize=robustness -E %s | FileCheck %s --check-prefixes=ON
// RUN: %rsan_clang -fsanitize=robustness,undefined -E %s | FileCheck %s --check-prefixes=ON
// RUN: %rsan_clangxx -fsanitize=robustness -x c++ -E %s | FileCheck %s --check-prefixes=ON
// RUN: %rsan_clang -fsanitize=robustness -x assembler-with-cpp -E %s | FileCheck %s --check-prefixes=ASM
// RUN: %rsan_clang -fsanitize=thread -E %s | FileCheck %s --check-prefixes=THREAD
// RUN: %rsan_clang -fsanitize=robustness -fno-sanitize=robustness -E %s | FileCheck %s --check-prefixes=OFF
// RUN: %rsan_clang -E %s | FileCheck %s --check-prefixes=OFF
// RUN: %stock_clang -fsanitize=thread -E %s | FileCheck %s --check-prefixes=THREAD
// RUN: %rsan_clang -fsanitize=robustness -dM -E -x c /dev/null | FileCheck %s --check-prefix=VALUE -DN=%llvm_major
// VALUE: #define __SANITIZE_ROBUSTNESS__ 1
// VALUE: #define __clang_major__ [[N]]
// VALUE: #define __clang_minor__ 1

// ON: robustness is on
// ASM: robustness is on
// THREAD: robustness is off
// OFF: robustness is off
#ifdef __SANITIZE_ROBUSTNESS__
robustness is on
#else
robustness is off
#endif

// ON: thread is on
// THREAD: thread is on
// OFF: thread is off
#if __has_feature(thread_sanitizer)
    thread is on
#else
    thread is off
#endif
