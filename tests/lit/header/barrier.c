// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A barrier that counts phases, in the same two ways. Twin: arriving and leaving are relaxed.
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
// CHECK: done
// WEAK: WARNING: ThreadSanitizer: robustness violation

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

#include "rsan_await.h"

#ifdef WEAK
#define ARRIVE memory_order_relaxed
#define LEAVE  memory_order_relaxed
#else
#define ARRIVE memory_order_acq_rel
#define LEAVE  memory_order_release
#endif

enum { THREADS = 3, PHASES = 50 };
static atomic_uint missing = THREADS, phase;
static atomic_int cells[THREADS];

static void meet(unsigned now) {
  if (atomic_fetch_sub_explicit(&missing, 1, ARRIVE) == 1) {
    atomic_store_explicit(&missing, THREADS, memory_order_relaxed);
    atomic_store_explicit(&phase, now, LEAVE);
    return;
  }
#ifdef HAND
  vatomic32_await_ge_acq(&phase, now);
#else
  while (atomic_load_explicit(&phase, memory_order_acquire) < now)
    sched_yield();
#endif
}

static void *work(void *arg) {
  int self = (int)(long)arg;
  unsigned now = 0;
  for (int i = 1; i <= PHASES; i++) {
    atomic_store_explicit(&cells[self], i, memory_order_relaxed);
    meet(++now);
    if (atomic_load_explicit(&cells[(self + 1) % THREADS], memory_order_relaxed) != i)
      printf("missed\n");
    meet(++now);
  }
  return 0;
}

int main(void) {
  pthread_t threads[THREADS];
  for (long i = 0; i < THREADS; i++)
    if (pthread_create(&threads[i], 0, work, (void *)i) != 0)
      return 3;
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], 0);
  puts("done");
}
