// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A ring between one producer and one consumer, both waiting busily. Twin: the producer publishes
// by a relaxed store.
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
#define PUBLISH memory_order_relaxed
#else
#define PUBLISH memory_order_release
#endif

enum { SIZE = 8, ITEMS = 500 };
static atomic_uint head, tail;
static atomic_int slots[SIZE];

static void *consume(void *unused) {
  for (unsigned i = 0; i < ITEMS; i++) {
    while (atomic_load_explicit(&tail, memory_order_acquire) == i)
      sched_yield();
    if (atomic_load_explicit(&slots[i % SIZE], memory_order_relaxed) != (int)i)
      printf("missed\n");
    atomic_store_explicit(&head, i + 1, memory_order_release);
  }
  return unused;
}

int main(void) {
  pthread_t thread;
  if (pthread_create(&thread, 0, consume, 0) != 0)
    return 3;
  for (unsigned i = 0; i < ITEMS; i++) {
    while (i - atomic_load_explicit(&head, memory_order_acquire) == SIZE)
      sched_yield();
    atomic_store_explicit(&slots[i % SIZE], (int)i, memory_order_relaxed);
    atomic_store_explicit(&tail, i + 1, PUBLISH);
  }
  pthread_join(thread, 0);
  puts("done");
}
