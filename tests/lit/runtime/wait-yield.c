// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread that waits in vain lets others run. Two threads with one processor and the same
// real-time priority: neither is ever interrupted for the other, so whoever waits for the other
// without giving way waits forever. (Where a process may not have that priority, they are ordinary
// ones, which are interrupted: then this is a test of the handing over alone.)
//
// RUN: %build %s -o %t
// RUN: %t load | FileCheck %s
// RUN: %t exchange | FileCheck %s
// RUN: %t compare | FileCheck %s
// RUN: env RSAN_OPTIONS=robustness=0 %t load | FileCheck %s
// CHECK: 200

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

enum { ROUNDS = 100 };

static atomic_int turn, locked;
static int count;
static char shape;

static void take(int me) {
  if (shape == 'l')
    while (atomic_load_explicit(&turn, memory_order_acquire) != me)
      ;
  else if (shape == 'e')
    while (atomic_exchange_explicit(&locked, 1, memory_order_acquire))
      ;
  else
    for (int free = 0; !atomic_compare_exchange_weak_explicit(
             &locked, &free, 1, memory_order_acquire, memory_order_relaxed);
         free = 0)
      ;
}

static void give(int me) {
  if (shape == 'l')
    atomic_store_explicit(&turn, !me, memory_order_release);
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

int main(int argc, char **argv) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  sched_setaffinity(0, sizeof one, &one);
  shape = argv[argc - 1][0];
  pthread_t other;
  struct sched_param priority = {.sched_priority = 1};
  sched_setscheduler(0, SCHED_FIFO, &priority);
  pthread_create(&other, 0, run, &other);
  run(0);
  pthread_join(other, 0);
  printf("%d\n", count);
  return 0;
}
