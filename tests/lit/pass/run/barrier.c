// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sense-reversing barrier between phases in which each thread writes its own cell and reads its
// neighbour's. Twin: arriving and leaving are relaxed, so a neighbour may miss what was written.
//
// RUN: %rsan_clang -fsanitize=robustness -g -O0 %s -o %t && %t 2>&1 | FileCheck %s --implicit-check-not=WARNING
// RUN: %rsan_clang -fsanitize=robustness -g -O2 %s -o %t && %t 2>&1 | FileCheck %s --implicit-check-not=WARNING
// RUN: %rsan_clang -fsanitize=robustness -g -O1 -DWEAK %s -o %t && not %t 2>&1 | FileCheck %s --check-prefix=WEAK
// CHECK: done
// WEAK: WARNING: ThreadSanitizer: robustness violation

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

#ifdef WEAK
#define ARRIVE memory_order_relaxed
#define LEAVE  memory_order_relaxed
#else
#define ARRIVE memory_order_acq_rel
#define LEAVE  memory_order_release
#endif

enum { THREADS = 3, PHASES = 50 };
static atomic_int missing = THREADS, sense, cells[THREADS];

static void meet(int mine) {
  if (atomic_fetch_sub_explicit(&missing, 1, ARRIVE) == 1) {
    atomic_store_explicit(&missing, THREADS, memory_order_relaxed);
    atomic_store_explicit(&sense, mine, LEAVE);
  } else {
    while (atomic_load_explicit(&sense, memory_order_acquire) != mine)
      sched_yield();
  }
}

static void *work(void *arg) {
  int self = (int)(long)arg, mine = 0;
  for (int i = 1; i <= PHASES; i++) {
    atomic_store_explicit(&cells[self], i, memory_order_relaxed);
    meet(mine = !mine);
    if (atomic_load_explicit(&cells[(self + 1) % THREADS], memory_order_relaxed) != i)
      printf("missed\n");
    meet(mine = !mine);
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
