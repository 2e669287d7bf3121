// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// BAR: two threads meet. A stale 0 only makes them look again. Twin: the loop goes on when it finds 0
// (or 1), and what it found is printed: store buffering. Nobody can tell if it is not printed.
//
// RUN: %rsan_clang -fsanitize=robustness -g -I %source_dir/tests/lit/runtime/Inputs -O0 %s -o %t && %t 2>&1 | FileCheck %s --implicit-check-not=WARNING
// RUN: %rsan_clang -fsanitize=robustness -g -I %source_dir/tests/lit/runtime/Inputs -O2 %s -o %t && %t 2>&1 | FileCheck %s --implicit-check-not=WARNING
// RUN: %rsan_clang -fsanitize=robustness -g -I %source_dir/tests/lit/runtime/Inputs -O1 -DWEAK %s -o %t && not %t 2>&1 | FileCheck %s --check-prefix=WEAK
// RUN: %rsan_clang -fsanitize=robustness -g -I %source_dir/tests/lit/runtime/Inputs -O1 -DWEAK -DALONE %s -o %t && %t 2>&1 | FileCheck %s --implicit-check-not=WARNING
// CHECK: done
// WEAK: WARNING: ThreadSanitizer: robustness violation

#include "turns.h"

#include <stdatomic.h>
#include <stdio.h>

#ifdef WEAK
#define GO_ON(v) ((v) < 2)
#else
#define GO_ON(v) ((v) == 1)
#endif

#if defined WEAK && !defined ALONE
#define USE(v) printf("found %d\n", v)
#else
#define USE(v) (void)(v)
#endif

static atomic_int x, y;

static void one(void) {
  atomic_store_explicit(&x, 1, memory_order_relaxed);
  int v;
  while (v = atomic_load_explicit(&y, memory_order_relaxed), !GO_ON(v))
    sched_yield();
  USE(v);
}

static void other(void) {
  atomic_store_explicit(&y, 1, memory_order_relaxed);
  int v;
  while (v = atomic_load_explicit(&x, memory_order_relaxed), !GO_ON(v))
    sched_yield();
  USE(v);
}

static void *run_one(void *unused) {
  one();
  return unused;
}

int main(void) {
#ifdef WEAK
  one_then_other(one, other);
#else
  pthread_t thread = start(run_one, NULL);
  other();
  pthread_join(thread, NULL);
#endif
  puts("done");
}
