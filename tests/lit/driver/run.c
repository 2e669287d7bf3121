// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs are built and run at every level of optimisation, with every kind of link and both
// linkers.
//
// RUN: %rsan_clang -fsanitize=robustness -O0 %s -o %t && %t | FileCheck %s
// RUN: %rsan_clang -fsanitize=robustness -O1 -g %s -o %t && %t | FileCheck %s
// RUN: %rsan_clang -fsanitize=robustness -O2 %s -o %t && %t | FileCheck %s
// RUN: %rsan_clang -fsanitize=robustness -O3 %s -o %t && %t | FileCheck %s
// RUN: %rsan_clang -fsanitize=robustness -Os %s -o %t && %t | FileCheck %s
// RUN: %rsan_clang -fsanitize=robustness -fPIE -pie %s -o %t && %t | FileCheck %s
// RUN: %rsan_clang -fsanitize=robustness -fno-pie -no-pie %s -o %t && %t | FileCheck %s
// RUN: %rsan_clang -fsanitize=robustness -fuse-ld=lld %s -o %t && %t | FileCheck %s
// RUN: %rsan_clang -fsanitize=robustness -c %s -o %t.o && %rsan_clang -fsanitize=robustness %t.o -o %t && %t | FileCheck %s
// RUN: %rsan_clang -fsanitize=robustness -S %s -o %t.s && %rsan_clang -fsanitize=robustness %t.s -o %t && %t | FileCheck %s
// RUN: %rsan_clangxx -fsanitize=robustness -O1 -x c++ %s -o %t && %t | FileCheck %s
//
// Link-time optimisation needs clang's own linker or plugin, not whichever PATH has.
// RUN: %rsan_clang -fsanitize=robustness -O2 -flto %s -o %t && %t | FileCheck %s
// RUN: %rsan_clang -fsanitize=robustness -O2 -flto=thin -fuse-ld=lld %s -o %t && %t | FileCheck %s
// RUN: %rsan_clang -fsanitize=robustness -O2 -flto -fuse-ld=lld %s -o %t && %t | FileCheck %s
// RUN: %llvm_prefix/bin/llvm-nm %t | FileCheck %s --check-prefix=SYMBOLS
// SYMBOLS: __tsan_atomic32_fetch_add
//
// CHECK: 3
#include <pthread.h>
#include <stdio.h>

static int count;

static void *add(void *unused) {
  (void)unused;
  __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);
  return 0;
}

int main(void) {
  pthread_t threads[3];
  for (int i = 0; i < 3; i++)
    if (pthread_create(&threads[i], 0, add, 0) != 0)
      return 2;
  for (int i = 0; i < 3; i++)
    pthread_join(threads[i], 0);
  printf("%d\n", __atomic_load_n(&count, __ATOMIC_RELAXED));
}
