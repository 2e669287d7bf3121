// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread that waits in vain lets others run, whether or not the compiler has recognised its loop.
// Two threads with one processor and the same real-time priority: neither is ever interrupted for
// the other, so whoever waits for the other without giving way waits forever. (Where a process may
// not have that priority, they are ordinary ones, which are interrupted: then this is a test of the
// handing over alone.)
//
// RUN: %build -mcx16 %s -o %t.waits
// RUN: %build -mcx16 -mllvm -rsan-spin-loops=0 %s -o %t.loops
// RUN: %build -mcx16 -DCALLS %s -o %t.calls
// RUN: env RSAN_OPTIONS=report_bugs=0 sh %S/Inputs/each-shape %t.waits %t.loops %t.calls | FileCheck %s
// RUN: env RSAN_OPTIONS=robustness=0 sh %S/Inputs/each-shape %t.waits %t.loops %t.calls | FileCheck %s
// RUN: env RSAN_OPTIONS=seq_cst=fence:report_bugs=0 sh %S/Inputs/each-shape %t.loops | FileCheck %s --check-prefix=SOME
// CHECK-COUNT-21: {{^}}200
// SOME-COUNT-7: {{^}}200
//
// How often is counted. The twin asks as often and gets on between.
// RUN: env RSAN_OPTIONS=stats=1:report_bugs=0 %t.calls load 2>&1 | FileCheck %s --check-prefix=WAITS
// RUN: env RSAN_OPTIONS=stats=1:report_bugs=0 %t.calls alone 2>&1 | FileCheck %s --check-prefix=ALONE
// WAITS-DAG: {{^}}200
// WAITS-DAG: gave_way {{[1-9][0-9]*}} times a thread that waited in vain let others run
// ALONE-DAG: {{^}}1000
// ALONE-DAG: gave_way 0 times

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#ifdef CALLS
#define ATTEMPT static __attribute__((noinline))
#else
#define ATTEMPT static inline __attribute__((always_inline))
#endif

enum { ROUNDS = 100 };

static atomic_int turn, locked, never;
static _Atomic __int128 wide;
static int count;
static const char *shape;

static int is(const char *name) {
  return strcmp(shape, name) == 0;
}

ATTEMPT int load(atomic_int *p) {
  return atomic_load_explicit(p, memory_order_acquire);
}

ATTEMPT int exchange(void) {
  return atomic_exchange_explicit(&locked, 1, memory_order_acquire);
}

ATTEMPT int set_bit(void) {
  return atomic_fetch_or_explicit(&locked, 1, memory_order_acquire);
}

ATTEMPT int compare_weak(void) {
  int expected = 0;
  return atomic_compare_exchange_weak_explicit(&locked, &expected, 1, memory_order_acquire,
                                               memory_order_relaxed);
}

ATTEMPT int compare_strong(void) {
  int expected = 0;
  return atomic_compare_exchange_strong(&locked, &expected, 1);
}

static void take(int me) {
  if (is("load"))
    while (load(&turn) != me)
      ;
  else if (is("two")) // no wait to the compiler, as there is another way out
    while (load(&turn) != me) {
      if (load(&never))
        return;
    }
  else if (is("wide")) // 16 bytes
    while (atomic_load_explicit(&wide, memory_order_acquire) != me)
      ;
  else if (is("exchange"))
    while (exchange())
      ;
  else if (is("bit"))
    while (set_bit())
      ;
  else if (is("weak"))
    while (!compare_weak())
      ;
  else
    while (!compare_strong())
      ;
}

static void give(int me) {
  if (is("load") || is("two"))
    atomic_store_explicit(&turn, !me, memory_order_release);
  else if (is("wide"))
    atomic_store_explicit(&wide, !me, memory_order_release);
  else
    atomic_store_explicit(&locked, 0, memory_order_release);
}

static void *run(void *argument) {
  int me = argument != 0;
  for (int i = 0; i < ROUNDS; i++) {
    take(me);
    count++;
    sched_yield(); // the other comes, and waits
    give(me);
  }
  return 0;
}

// Asks 50 times in a row, which is no waiting yet, and does something.
static int alone(void) {
  for (; count < 1000; count++) {
    for (int i = 0; i < 50; i++)
      load(&never);
    atomic_fetch_add_explicit(&turn, 1, memory_order_relaxed);
  }
  return printf("%d\n", count) < 0;
}

int main(int argc, char **argv) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  sched_setaffinity(0, sizeof one, &one);
  shape = argv[argc - 1];
  if (is("alone"))
    return alone();
  pthread_t other;
  struct sched_param priority = {.sched_priority = 1};
  sched_setscheduler(0, SCHED_FIFO, &priority);
  pthread_create(&other, 0, run, &other);
  run(0);
  pthread_join(other, 0);
  printf("%d\n", count);
  return 0;
}
