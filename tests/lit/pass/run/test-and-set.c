// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Test-and-set lock. Twin: a relaxed unlock.
//
// RUN: %rsan_clang -fsanitize=robustness -g -O0 %s -o %t && %t 2>&1 | FileCheck %s --implicit-check-not=WARNING
// RUN: %rsan_clang -fsanitize=robustness -g -O2 %s -o %t && %t 2>&1 | FileCheck %s --implicit-check-not=WARNING
// RUN: %rsan_clang -fsanitize=robustness -g -O1 -DWEAK %s -o %t && not %t 2>&1 | FileCheck %s --check-prefix=WEAK
// CHECK: counted 600
// WEAK: WARNING: ThreadSanitizer: robustness violation

#include "Inputs/lock.h"

static atomic_flag taken = ATOMIC_FLAG_INIT;

static void lock(int self) {
  (void)self;
  while (atomic_flag_test_and_set_explicit(&taken, ACQ))
    sched_yield();
}

static void unlock(int self) {
  (void)self;
  atomic_flag_clear_explicit(&taken, REL);
}
