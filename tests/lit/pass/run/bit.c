// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A lock in one bit of a word: fetch_or takes it, a store gives it back. An attempt in vain finds
// the bit set and leaves it so. Twin: relaxed unlock.
//
// RUN: %rsan_clang -fsanitize=robustness -g -O0 %s -o %t && %t 2>&1 | FileCheck %s --implicit-check-not=WARNING
// RUN: %rsan_clang -fsanitize=robustness -g -O2 %s -o %t && %t 2>&1 | FileCheck %s --implicit-check-not=WARNING
// RUN: %rsan_clang -fsanitize=robustness -g -O1 -DWEAK %s -o %t && not %t 2>&1 | FileCheck %s --check-prefix=WEAK
// CHECK: counted 600
// WEAK: WARNING: ThreadSanitizer: robustness violation

#include "Inputs/lock.h"

static atomic_uint word = 0x10;

static void lock(int self) {
  (void)self;
  while (atomic_fetch_or_explicit(&word, 1, ACQ) & 1)
    sched_yield();
}

static void unlock(int self) {
  (void)self;
  atomic_store_explicit(&word, 0x10, REL);
}
