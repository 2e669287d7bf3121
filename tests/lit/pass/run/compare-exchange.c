// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A lock by compare-exchange, weak and strong. Twin: a relaxed unlock.
//
// RUN: %rsan_clang -fsanitize=robustness -g -O0 %s -o %t && %t 2>&1 | FileCheck %s --implicit-check-not=WARNING
// RUN: %rsan_clang -fsanitize=robustness -g -O2 %s -o %t && %t 2>&1 | FileCheck %s --implicit-check-not=WARNING
// RUN: %rsan_clang -fsanitize=robustness -g -O1 -DWEAK %s -o %t && not %t 2>&1 | FileCheck %s --check-prefix=WEAK
// CHECK: counted 600
// WEAK: WARNING: ThreadSanitizer: robustness violation

#include "Inputs/lock.h"

static atomic_int owner;

static void lock(int self) {
  int expected = 0;
  if (self == 0)
    while (!atomic_compare_exchange_weak_explicit(&owner, &expected, self + 1, ACQ, RLX))
      expected = 0;
  else
    while (!atomic_compare_exchange_strong_explicit(&owner, &expected, self + 1, ACQ, RLX)) {
      expected = 0;
      sched_yield();
    }
}

static void unlock(int self) {
  (void)self;
  atomic_store_explicit(&owner, 0, REL);
}
