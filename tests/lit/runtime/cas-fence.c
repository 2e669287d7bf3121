// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A compare-exchange that fails by its relaxed branch might have succeeded by its seq_cst one, and
// is judged by that: store buffering with a fence on one side, and on the other a seq_cst store and
// such a compare-exchange, is robust. For the fence's thread has not seen the store, so the fence
// is S-before it and thus before the compare-exchange, which cannot come before what precedes the
// fence. Its twin's success order is not seq_cst.
//
// RUN: %build -DORDER=__ATOMIC_SEQ_CST %s -o %t.sc && %t.sc 2>&1 | count 0
// RUN: env RSAN_OPTIONS=history=exact %t.sc 2>&1 | count 0
// RUN: env RSAN_OPTIONS=clocks=explicit %t.sc 2>&1 | count 0
// RUN: %build -DORDER=__ATOMIC_SEQ_CST -DTWIN %s -o %t.sc-twin
// RUN: %exits 66 %t.sc-twin 2>&1 | FileCheck %s
//
// A relaxed store does not come after the fence. With seq_cst=fence the compare-exchange has a
// fence before it, which makes up for that; with history=bounded what is before the first seq_cst
// access is before it in S, so that it is not seen.
// RUN: %build -DORDER=__ATOMIC_RELAXED %s -o %t
// RUN: env RSAN_OPTIONS=history=exact %exits 66 %t 2>&1 | FileCheck %s
// RUN: env RSAN_OPTIONS=clocks=explicit %exits 66 %t 2>&1 | FileCheck %s
// RUN: env RSAN_OPTIONS=seq_cst=fence %t 2>&1 | count 0
// RUN: env RSAN_OPTIONS=seq_cst=fence:clocks=explicit %t 2>&1 | count 0
// RUN: %build -DORDER=__ATOMIC_RELAXED -DTWIN %s -o %t.twin
// RUN: env RSAN_OPTIONS=seq_cst=fence %exits 66 %t.twin 2>&1 | FileCheck %s
//
// CHECK: Failed atomic compare-exchange of size 4 at {{.*}} (memory_order_relaxed):
// CHECK: It expected 0 and would read 0 in place of 1.
#include "access.h"
#include "turns.h"

#ifdef TWIN
#define SUCCESS __ATOMIC_ACQ_REL
#else
#define SUCCESS __ATOMIC_SEQ_CST
#endif

static int x, y;

static void one(void) {
  STORE(x, 1);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  LOAD(y);
}

static void other(void) {
  int expected = 0;
  __atomic_store_n(&y, 1, ORDER);
  __atomic_compare_exchange_n(&x, &expected, 2, 0, SUCCESS, __ATOMIC_RELAXED);
}

int main(void) {
  one_then_other(one, other);
}
