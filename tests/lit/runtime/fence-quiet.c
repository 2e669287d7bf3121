// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A seq_cst fence publishes what the thread has done since its last one, if that is a plain access
// and nothing else: such a fence is not one that would change nothing. Without it there is a race.
//
// RUN: %build %s -o %t
// RUN: %t 2>&1 | count 0
// RUN: env RSAN_OPTIONS=robustness=0 %t 2>&1 | count 0
// RUN: %build -DTWIN %s -o %t.twin
// RUN: %exits 66 %t.twin 2>&1 | FileCheck %s
// CHECK: WARNING: ThreadSanitizer: data race
// CHECK: Read of size 4
// CHECK: Previous write of size 4
#include "turns.h"

int data;

static void one(void) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  data = 1;
#ifndef TWIN
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}

int sink;

static void other(void) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  sink = data;
}

int main(void) {
  one_then_other(one, other);
}
