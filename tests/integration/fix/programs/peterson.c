// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Peterson's lock with release and acquire alone. Two fences in what both threads run.

#include "two.h"

static atomic_int wants[2];
static atomic_int turn;
static int inside;

static void lock(int me) {
  atomic_store_explicit(&wants[me], 1, memory_order_release);
  atomic_store_explicit(&turn, 1 - me, memory_order_release);
  while (atomic_load_explicit(&wants[1 - me], memory_order_acquire) &&
         atomic_load_explicit(&turn, memory_order_acquire) == 1 - me)
    stage_reach(2);
  stage_reach(me + 1);
}

static void unlock(int me) {
  atomic_store_explicit(&wants[me], 0, memory_order_release);
}

static void *first(void *arg) {
  lock(0);
  inside++;
  stage_await(2);
  inside--;
  unlock(0);
  return arg;
}

static void *second(void *arg) {
  stage_await(1);
  lock(1);
  inside++;
  inside--;
  unlock(1);
  return arg;
}

int main(void) {
  run_two(first, second);
  return 0;
}
