// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A compare-exchange that fails by its relaxed branch might have succeeded by its seq_cst one, and
// is judged by that: store buffering with a fence on one side and such a compare-exchange on the
// other is robust. Its twin's success order has no fence to it.
//
// RUN: %build %s -o %t && %t 2>&1 | count 0
// RUN: env RSAN_OPTIONS=clocks=explicit %t 2>&1 | count 0
// RUN: %build -DTWIN %s -o %t.twin
// RUN: %exits 66 %t.twin 2>&1 | FileCheck %s
// CHECK: Failed atomic compare-exchange of size 4 at {{.*}} (memory_order_relaxed):
// CHECK: It would read 0 in place of 1.
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
  STORE(y, 1);
  __atomic_compare_exchange_n(&x, &expected, 2, 0, SUCCESS, __ATOMIC_RELAXED);
}

int main(void) {
  one_then_other(one, other);
}
