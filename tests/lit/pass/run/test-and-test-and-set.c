// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Test-and-test-and-set lock, each thread in another of the usual ways. Twin: a relaxed unlock.
//
// RUN: %rsan_clang -fsanitize=robustness -g -O0 %s -o %t && %t 2>&1 | FileCheck %s --implicit-check-not=WARNING
// RUN: %rsan_clang -fsanitize=robustness -g -O2 %s -o %t && %t 2>&1 | FileCheck %s --implicit-check-not=WARNING
// RUN: %rsan_clang -fsanitize=robustness -g -O1 -DWEAK %s -o %t && not %t 2>&1 | FileCheck %s --check-prefix=WEAK
// CHECK: counted 600
// WEAK: WARNING: ThreadSanitizer: robustness violation

#include "Inputs/lock.h"

static atomic_int taken;

static void lock(int self) {
  if (self == 0) {
    do {
      while (atomic_load_explicit(&taken, RLX))
        sched_yield();
    } while (atomic_exchange_explicit(&taken, 1, ACQ));
  } else if (self == 1) {
    while (atomic_exchange_explicit(&taken, 1, ACQ))
      while (atomic_load_explicit(&taken, RLX))
        sched_yield();
  } else {
    for (;;) {
      int expected = 0;
      if (!atomic_load_explicit(&taken, RLX) &&
          atomic_compare_exchange_weak_explicit(&taken, &expected, 1, ACQ, RLX))
        break;
      sched_yield();
    }
  }
}

static void unlock(int self) {
  (void)self;
  atomic_store_explicit(&taken, 0, REL);
}
