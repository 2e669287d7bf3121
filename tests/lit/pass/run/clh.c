// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CLH lock: each waits on the node of the one before it. Twin: a relaxed unlock.
//
// RUN: %rsan_clang -fsanitize=robustness -g -O0 %s -o %t && %t 2>&1 | FileCheck %s --implicit-check-not=WARNING
// RUN: %rsan_clang -fsanitize=robustness -g -O2 %s -o %t && %t 2>&1 | FileCheck %s --implicit-check-not=WARNING
// RUN: %rsan_clang -fsanitize=robustness -g -O1 -DWEAK %s -o %t && not %t 2>&1 | FileCheck %s --check-prefix=WEAK
// CHECK: counted 600
// WEAK: WARNING: ThreadSanitizer: robustness violation

#include "Inputs/lock.h"

static atomic_int nodes[THREADS + 1];
static _Atomic(atomic_int *) tail = &nodes[THREADS];
static atomic_int *mine[THREADS] = {&nodes[0], &nodes[1], &nodes[2]}, *before[THREADS];

static void lock(int self) {
  atomic_store_explicit(mine[self], 1, RLX);
  atomic_int *last = atomic_exchange_explicit(&tail, mine[self], memory_order_acq_rel);
  before[self] = last;
  while (atomic_load_explicit(last, ACQ))
    sched_yield();
}

static void unlock(int self) {
  atomic_int *old = mine[self];
  mine[self] = before[self];
  atomic_store_explicit(old, 0, REL);
}
