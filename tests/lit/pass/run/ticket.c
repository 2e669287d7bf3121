// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ticket lock. Twin: a relaxed unlock.
//
// RUN: %rsan_clang -fsanitize=robustness -g -O0 %s -o %t && %t 2>&1 | FileCheck %s --implicit-check-not=WARNING
// RUN: %rsan_clang -fsanitize=robustness -g -O2 %s -o %t && %t 2>&1 | FileCheck %s --implicit-check-not=WARNING
// RUN: %rsan_clang -fsanitize=robustness -g -O1 -DWEAK %s -o %t && not %t 2>&1 | FileCheck %s --check-prefix=WEAK
// CHECK: counted 600
// WEAK: WARNING: ThreadSanitizer: robustness violation

#include "Inputs/lock.h"

static atomic_uint next, now;

static void lock(int self) {
  (void)self;
  unsigned mine = atomic_fetch_add_explicit(&next, 1, RLX);
  while (atomic_load_explicit(&now, ACQ) != mine)
    sched_yield();
}

static void unlock(int self) {
  (void)self;
  atomic_store_explicit(&now, atomic_load_explicit(&now, RLX) + 1, REL);
}
