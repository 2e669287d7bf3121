// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ten thousand threads that come and go, joined or detached, handing on by release and acquire: no
// report on them, no limit that is hit. What two threads do wrong after all of them is found.
//
// RUN: %build %s -o %t
// RUN: env RSAN_OPTIONS=stats=1 %exits 66 %t joined 2>&1 | FileCheck %s --check-prefixes=CHECK,JOINED
// RUN: env RSAN_OPTIONS=stats=1 %exits 66 %t detached 2>&1 | FileCheck %s --check-prefixes=CHECK,DETACHED
// CHECK-NOT: {{WARNING|CHECK}}
// CHECK: {{^}}10000 threads
// CHECK: WARNING: ThreadSanitizer: robustness violation
// CHECK: Atomic read of size 4 {{.*}} by thread T[[OTHER:[0-9]+]] (memory_order_relaxed):
// CHECK-NEXT: #0 other
// CHECK: may miss the atomic write of size 4 by thread T[[ONE:[0-9]+]] (memory_order_relaxed):
// CHECK-NEXT: #0 one
// CHECK: Thread T[[OTHER]] (tid={{[0-9]+}}, running) created by main thread at:
// CHECK: Thread T[[ONE]] (tid={{[0-9]+}}, {{running|finished}}) created by main thread at:
// CHECK: reported 1 warnings
// JOINED: index_reuse {{[1-9]}}
// JOINED: forced_reuse {{0 }}
// DETACHED: forced_reuse {{[1-9]}}
//
// A hundred threads of which each starts the next one, all alive at once.
// RUN: %t nested 2>&1 | FileCheck %s --check-prefix=NESTED
// NESTED-NOT: WARNING
// NESTED: {{^}}100 threads
// NESTED-NOT: WARNING
//
// A writer that is long gone when its write is missed.
// RUN: %exits 66 %t late 2>&1 | FileCheck %s --check-prefix=LATE
// LATE: WARNING: ThreadSanitizer: robustness violation
// LATE: Atomic read of size 4 {{.*}} by thread T
// LATE: may miss the atomic write of size 4 by thread T[[ONE:[0-9]+]] (memory_order_relaxed):
// LATE-NEXT: #0 one {{.*}}threads.c:
// LATE: Thread T[[ONE]] (tid={{[0-9]+}}, finished) created by main thread at:
// LATE: reported 1 warnings
#include "access.h"
#include "gone.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 10000, NESTED = 100 };

static int count, done, x, y;
static const char *what;

static void *work(void *arg) {
  int local = 0;
  __asm__ volatile("" ::"r"(&local) : "memory"); // keeps it in memory
  ADD(count, 1);
  __atomic_store_n(&local, 1, __ATOMIC_RELEASE);
  __atomic_load_n(&local, __ATOMIC_ACQUIRE);
  __atomic_store_n(&done, (int)(long)arg, __ATOMIC_RELEASE);
  return NULL;
}

static void *start_next(void *arg) {
  work(arg);
  if ((long)arg < NESTED)
    pthread_join(start(start_next, (void *)((long)arg + 1)), NULL);
  return NULL;
}

static void one(void) {
  STORE(x, 1);
  LOAD(y);
}

static void other(void) {
  STORE(y, 1);
  LOAD(x);
}

// The runtime's work at a thread's end grows with its stack; these are not about stacks.
static pthread_t start_with_little_stack(void *(*function)(void *), void *argument) {
  pthread_attr_t attributes;
  pthread_t thread;
  if (pthread_attr_init(&attributes) || pthread_attr_setstacksize(&attributes, 1 << 17) ||
      pthread_create(&thread, &attributes, function, argument))
    abort();
  pthread_attr_destroy(&attributes);
  return thread;
}

static void run_threads(void) {
  for (long i = 1; i <= THREADS; i++) {
    pthread_t thread = start_with_little_stack(work, (void *)i);
    if (strcmp(what, "joined") == 0) {
      pthread_join(thread, NULL);
      continue;
    }
    pthread_detach(thread);
    while (__atomic_load_n(&done, __ATOMIC_ACQUIRE) != i)
      sched_yield();
  }
}

static void *run_other(void *arg) {
  await_turn(2);
  other();
  return arg;
}

static void *run_one(void *arg) {
  one();
  return arg;
}

// Two who act before and after many others, unknown to each other.
static void run_late(void) {
  pthread_t late = start(run_other, NULL);
  pthread_join(start(run_one, NULL), NULL);
  for (long i = 0; i < 1000; i++)
    pthread_join(start(work, (void *)i), NULL);
  pass_turn(2);
  pthread_join(late, NULL);
}

int main(int argc, char **argv) {
  what = argc > 1 ? argv[1] : "";
  if (strcmp(what, "late") == 0) {
    run_late();
    return 0;
  }
  if (strcmp(what, "nested") == 0) {
    pthread_join(start(start_next, (void *)1), NULL);
    fprintf(stderr, "%d threads\n", count);
    return 0;
  }
  run_threads();
  fprintf(stderr, "%d threads\n", count);
  one_then_other(one, other);
}
