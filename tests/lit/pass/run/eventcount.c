// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One thread waits for an event count to move on and reads what was written before it moved. Twin:
// it is moved by a relaxed operation.
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
#define MOVE memory_order_relaxed
#else
#define MOVE memory_order_release
#endif

enum { EVENTS = 100 };
static atomic_uint count, seen;
static atomic_int data;

static void *wait_for_events(void *unused) {
  unsigned old = 0;
  for (int i = 1; i <= EVENTS; i++) {
    unsigned found;
    while ((found = atomic_load_explicit(&count, memory_order_acquire)) == old)
      sched_yield();
    old = found;
    if (atomic_load_explicit(&data, memory_order_relaxed) != i)
      printf("missed\n");
    atomic_store_explicit(&seen, found, memory_order_release);
  }
  return unused;
}

int main(void) {
  pthread_t thread;
  if (pthread_create(&thread, 0, wait_for_events, 0) != 0)
    return 3;
  for (int i = 1; i <= EVENTS; i++) {
    atomic_store_explicit(&data, i, memory_order_relaxed);
    atomic_fetch_add_explicit(&count, 1, MOVE);
    while (atomic_load_explicit(&seen, memory_order_acquire) < (unsigned)i)
      sched_yield();
  }
  pthread_join(thread, 0);
  puts("done");
}
