// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Locks as libvsync has them, with its names for what waits (HAND), and with plain loops that are
// left to the pass: the same verdicts. Twin: a relaxed unlock.
//
// RUN: %build -O0 -DHAND %s -o %t && %t 2>&1 | FileCheck %s --implicit-check-not=WARNING
// RUN: %build -O2 -DHAND %s -o %t && %t 2>&1 | FileCheck %s --implicit-check-not=WARNING
// RUN: %build -DHAND -DWEAK %s -o %t && %exits 66 %t 2>&1 | FileCheck %s --check-prefix=WEAK
// RUN: %build -O2 -mllvm -rsan-spin-loops=0 -DHAND %s -o %t && %t 2>&1 | FileCheck %s --implicit-check-not=WARNING
// RUN: %build -mllvm -rsan-spin-loops=0 -DHAND -DWEAK %s -o %t && %exits 66 %t 2>&1 | FileCheck %s --check-prefix=WEAK
// RUN: %build -O0 %s -o %t && %t 2>&1 | FileCheck %s --implicit-check-not=WARNING
// RUN: %build -O2 %s -o %t && %t 2>&1 | FileCheck %s --implicit-check-not=WARNING
// RUN: %build -DWEAK %s -o %t && %exits 66 %t 2>&1 | FileCheck %s --check-prefix=WEAK
// RUN: %stock_clang -O1 -DHAND %include %s -o %t && %t | FileCheck %s
// CHECK: counted 600
// WEAK: WARNING: ThreadSanitizer: robustness violation
// RUN: %build -DTICKET -O0 -DHAND %s -o %t && %t 2>&1 | FileCheck %s --implicit-check-not=WARNING
// RUN: %build -DTICKET -O2 -DHAND %s -o %t && %t 2>&1 | FileCheck %s --implicit-check-not=WARNING
// RUN: %build -DTICKET -DHAND -DWEAK %s -o %t && %exits 66 %t 2>&1 | FileCheck %s --check-prefix=WEAK
// RUN: %build -DTICKET -O2 -mllvm -rsan-spin-loops=0 -DHAND %s -o %t && %t 2>&1 | FileCheck %s --implicit-check-not=WARNING
// RUN: %build -DTICKET -mllvm -rsan-spin-loops=0 -DHAND -DWEAK %s -o %t && %exits 66 %t 2>&1 | FileCheck %s --check-prefix=WEAK
// RUN: %build -DTICKET -O0 %s -o %t && %t 2>&1 | FileCheck %s --implicit-check-not=WARNING
// RUN: %build -DTICKET -O2 %s -o %t && %t 2>&1 | FileCheck %s --implicit-check-not=WARNING
// RUN: %build -DTICKET -DWEAK %s -o %t && %exits 66 %t 2>&1 | FileCheck %s --check-prefix=WEAK

#include "lock.h"
#include "rsan_await.h"

#ifdef TICKET
static atomic_uint next, owner;

static void lock(int self) {
  (void)self;
  unsigned ticket = atomic_fetch_add_explicit(&next, 1, RLX);
#ifdef HAND
  vatomic32_await_eq_acq(&owner, ticket);
#else
  while (atomic_load_explicit(&owner, ACQ) != ticket)
    sched_yield();
#endif
}

static void unlock(int self) {
  (void)self;
  unsigned ticket = atomic_load_explicit(&owner, RLX);
  atomic_store_explicit(&owner, ticket + 1, REL);
}
#else
static atomic_uint taken;

static void lock(int self) {
  (void)self;
#ifdef HAND
  vatomic32_await_eq_set_acq(&taken, 0, 1);
#else
  unsigned expected = 0;
  while (!atomic_compare_exchange_strong_explicit(&taken, &expected, 1, ACQ, RLX)) {
    expected = 0;
    sched_yield();
  }
#endif
}

static void unlock(int self) {
  (void)self;
  atomic_store_explicit(&taken, 0, REL);
}
#endif
