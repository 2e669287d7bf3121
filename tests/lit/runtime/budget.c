// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// location_budget: of many objects that two threads write again and again, each keeps a part of its
// history. What is recent is found all the same.

#include <pthread.h>
#include <stdatomic.h>

enum { OBJECTS = 100000, TIMES = 10 };

static atomic_int objects[OBJECTS], flag;
static pthread_barrier_t all;

static void write_all(void) {
  for (int i = 0; i < OBJECTS * TIMES; i++)
    atomic_fetch_add_explicit(&objects[i % OBJECTS], 1, memory_order_acq_rel);
  pthread_barrier_wait(&all);
}

static void *say(void *unused) {
  write_all();
  atomic_store_explicit(&objects[0], -1, memory_order_relaxed);
  atomic_store_explicit(&flag, 1, memory_order_relaxed);
  return unused;
}

static void *hear(void *unused) {
  write_all();
  while (!atomic_load_explicit(&flag, memory_order_relaxed))
    ;
  atomic_load_explicit(&objects[0], memory_order_relaxed);
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_barrier_init(&all, NULL, 2);
  pthread_create(&a, NULL, say, NULL);
  pthread_create(&b, NULL, hear, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}

// RUN: %build %s -o %t
// RUN: env RSAN_OPTIONS=stats=1 not %t 2>&1 | FileCheck %s --check-prefixes=CHECK,CUT
// RUN: env RSAN_OPTIONS=stats=1:location_budget=0 not %t 2>&1 | FileCheck %s --check-prefixes=CHECK,WHOLE
// CHECK: WARNING: ThreadSanitizer: robustness violation
// CHECK: cut_histories
// CUT-SAME: {{ [1-9][0-9]*}}
// WHOLE-SAME: {{ 0 }}
//
// RUN: env RSAN_OPTIONS=location_budget=-1 not %t 2>&1 | FileCheck %s --check-prefix=BAD
// BAD: location_budget=-1 in RSAN_OPTIONS: must be 0 to 2147483647
