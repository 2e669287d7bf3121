// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Like eventcount.c, but each of the loops calls functions: one asks whether it is so far, one
// awaits a change and returns a value that nobody uses, one reads again. Twin: the count is moved
// by a relaxed operation.
//
// RUN: %rsan_clang -fsanitize=robustness -g -O0 %s -o %t && %t 2>&1 | FileCheck %s --implicit-check-not=WARNING
// RUN: %rsan_clang -fsanitize=robustness -g -O2 %s -o %t && %t 2>&1 | FileCheck %s --implicit-check-not=WARNING
// RUN: %rsan_clang -fsanitize=robustness -g -O1 -DWEAK %s -o %t && not %t 2>&1 | FileCheck %s --check-prefix=WEAK
// CHECK: done
// WEAK: WARNING: ThreadSanitizer: robustness violation

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

#ifdef WEAK
#define MOVE memory_order_relaxed
#else
#define MOVE memory_order_release
#endif

enum { EVENTS = 100 };
static atomic_int count, seen, data;

static inline int get(atomic_int *p) {
  return atomic_load_explicit(p, memory_order_acquire);
}

static inline bool has_come(atomic_int *p, int n) {
  return get(p) >= n;
}

static inline int await_change(atomic_int *p, int old) {
  int found;
  while ((found = get(p)) == old)
    sched_yield();
  return found;
}

static void await_event(int n) {
  if (n % 3 == 0) {
    while (!has_come(&count, n))
      sched_yield();
  } else if (n % 3 == 1) {
    await_change(&count, n - 1);
  } else {
    int found = get(&count);
    while (found != n)
      found = get(&count);
  }
}

static void *wait_for_events(void *unused) {
  for (int i = 1; i <= EVENTS; i++) {
    await_event(i);
    if (atomic_load_explicit(&data, memory_order_relaxed) != i)
      printf("missed\n");
    atomic_store_explicit(&seen, i, memory_order_release);
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
    while (!has_come(&seen, i))
      sched_yield();
  }
  pthread_join(thread, 0);
  puts("done");
}
