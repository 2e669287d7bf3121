// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dekker's entry with a busy wait, in plain C: a thread raises its flag and waits until the other's
// is down. The loop is a wait, but no harmless one: an older value, from before the other has
// raised its flag, ends it as well, and both are inside. With a seq_cst fence behind the flag it
// cannot be read.
//
// RUN: %build -O0 -Rrsan %s -o %t 2>&1 | FileCheck %s --check-prefix=WAIT
// WAIT: this loop is a wait: it ends when the value read == 0
// WAIT-NOT: no wait
// RUN: %exits 66 %t 2>&1 | FileCheck %s
// RUN: %build -O2 %s -o %t && %exits 66 %t 2>&1 | FileCheck %s
// CHECK: WARNING: ThreadSanitizer: robustness violation
// CHECK: Atomic read of size 4 at {{.*}} by thread T2 (memory_order_acquire):
// CHECK-NEXT: #0 enter {{.*}}spin-dekker.c:[[#@LINE+33]]:10
// CHECK: may miss the atomic write of size 4 by thread T1 (memory_order_release):
// CHECK: It waits for 0 and would read 0 in place of 1.
// CHECK: entered 2 times, after 1 look in vain
// CHECK: reported 1 warnings
//
// RUN: %build -O0 -DFENCES=1 %s -o %t && %t 2>&1 | FileCheck %s --check-prefix=FENCES
// RUN: %build -O2 -DFENCES=1 %s -o %t && %t 2>&1 | FileCheck %s --check-prefix=FENCES
// FENCES-NOT: WARNING
// FENCES: entered 2 times, after 1 look in vain
//
// A fence on one side alone does not do.
// RUN: %build -O1 -DFENCES=self %s -o %t && %exits 66 %t 2>&1 | FileCheck %s
// RUN: %build -O1 -DFENCES=!self %s -o %t && %exits 66 %t 2>&1 | FileCheck %s

#include <stdatomic.h>
#include <stdio.h>

#include "turns.h"

#ifndef FENCES
#define FENCES 0
#endif

static atomic_int flag[2];
static int entered, looks; // `entered` is what the flags protect

void thrd_yield(void);

static inline void enter(int self) {
  atomic_store_explicit(&flag[self], 1, memory_order_release);
  if (FENCES)
    atomic_thread_fence(memory_order_seq_cst);
  while (atomic_load_explicit(&flag[!self], memory_order_acquire))
    thrd_yield();
  entered++;
}

static inline void leave(int self) {
  atomic_store_explicit(&flag[self], 0, memory_order_release);
}

// The second thread has looked in vain: only now does the first one leave.
UNSEEN void thrd_yield(void) {
  looks++;
  pass_turn(3);
  await_turn(4);
}

static void *first(void *unused) {
  await_turn(1);
  enter(0);
  pass_turn(2);
  await_turn(3);
  leave(0);
  pass_turn(4);
  return unused;
}

static void *second(void *unused) {
  await_turn(2);
  enter(1);
  leave(1);
  return unused;
}

int main(void) {
  pthread_t one = start(first, NULL), other = start(second, NULL);
  pass_turn(1);
  pthread_join(one, NULL);
  pthread_join(other, NULL);
  fprintf(stderr, "entered %d times, after %d look in vain\n", entered, looks);
}
