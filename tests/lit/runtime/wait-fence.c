// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same as cas-fence.c of a compare-exchange that is tried until it succeeds: while it fails, by
// its relaxed branch, it is judged by the seq_cst one, which is what a stale value would have
// taken.
//
// RUN: %build -DORDER=__ATOMIC_SEQ_CST -Rrsan %s -o %t.sc 2>&1 | FileCheck %s --check-prefix=WAIT
// WAIT: this loop is a wait: it ends when the compare-exchange succeeds
// RUN: %t.sc 2>&1 | count 0
// RUN: env RSAN_OPTIONS=history=exact %t.sc 2>&1 | count 0
// RUN: env RSAN_OPTIONS=clocks=explicit %t.sc 2>&1 | count 0
// RUN: %build -DORDER=__ATOMIC_SEQ_CST -DTWIN %s -o %t.sc-twin
// RUN: %exits 66 %t.sc-twin 2>&1 | FileCheck %s
//
// RUN: %build -DORDER=__ATOMIC_RELAXED %s -o %t
// RUN: env RSAN_OPTIONS=history=exact %exits 66 %t 2>&1 | FileCheck %s
// RUN: env RSAN_OPTIONS=clocks=explicit %exits 66 %t 2>&1 | FileCheck %s
// RUN: env RSAN_OPTIONS=seq_cst=fence %t 2>&1 | count 0
// RUN: env RSAN_OPTIONS=seq_cst=fence:clocks=explicit %t 2>&1 | count 0
// RUN: %build -DORDER=__ATOMIC_RELAXED -DTWIN %s -o %t.twin
// RUN: env RSAN_OPTIONS=seq_cst=fence %exits 66 %t.twin 2>&1 | FileCheck %s
//
// CHECK: Atomic read of size 4 at {{.*}} (memory_order_relaxed):
// CHECK: It expected 0 and would read 0 in place of 1.
#include "access.h"
#include "turns.h"

#ifdef TWIN
#define SUCCESS __ATOMIC_ACQ_REL
#else
#define SUCCESS __ATOMIC_SEQ_CST
#endif

static int x, y;

void thrd_yield(void);

static void one(void) {
  STORE(x, 1);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  LOAD(y);
}

// Called after the first attempt has failed: ends the wait, unseen.
UNSEEN void thrd_yield(void) {
  __atomic_store_n(&x, 0, __ATOMIC_RELAXED);
}

static void other(void) {
  int expected = 0;
  __atomic_store_n(&y, 1, ORDER);
  while (!__atomic_compare_exchange_n(&x, &expected, 2, 0, SUCCESS, __ATOMIC_RELAXED)) {
    expected = 0;
    thrd_yield();
  }
}

int main(void) {
  one_then_other(one, other);
}
