// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A lock over wrappers: it awaits 0, then exchanges, and begins again if another was faster. Twin:
// relaxed unlock.
//
// RUN: %rsan_clang -fsanitize=robustness -g -O0 %s -o %t && %t 2>&1 | FileCheck %s --implicit-check-not=WARNING
// RUN: %rsan_clang -fsanitize=robustness -g -O2 %s -o %t && %t 2>&1 | FileCheck %s --implicit-check-not=WARNING
// RUN: %rsan_clang -fsanitize=robustness -g -O1 -DWEAK %s -o %t && not %t 2>&1 | FileCheck %s --check-prefix=WEAK
// CHECK: counted 600
// WEAK: WARNING: ThreadSanitizer: robustness violation

#include "Inputs/lock.h"

static atomic_int word;

static inline int get(atomic_int *p) {
  return atomic_load_explicit(p, RLX);
}

static inline int swap(atomic_int *p, int value) {
  return atomic_exchange_explicit(p, value, ACQ);
}

static inline void await_eq(atomic_int *p, int value) {
  int found = get(p);
  while (found != value) {
    sched_yield();
    found = get(p);
  }
}

static void lock(int self) {
  (void)self;
  while (1) {
    await_eq(&word, 0);
    if (!swap(&word, 1))
      return;
  }
}

static void unlock(int self) {
  (void)self;
  atomic_store_explicit(&word, 0, REL);
}
