// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Peterson's lock by release and acquire alone: both threads may get inside.
//
// Smallest repair: 2 fences a side, after the store of the flag and after that of the turn; both
// sides share the code. (Without the first one, a thread's turn may be seen and its flag be
// missed.)

#include "rounds.h"

#include <sched.h>
#include <stdatomic.h>

static atomic_int flag[2], turn;
static int inside; // protected by the lock

static void lock(int self) {
  int other = 1 - self;
  atomic_store_explicit(&flag[self], 1, memory_order_release);
  FENCE();
  atomic_store_explicit(&turn, other, memory_order_release);
  FENCE();
  while (atomic_load_explicit(&flag[other], memory_order_acquire) &&
         atomic_load_explicit(&turn, memory_order_acquire) == other)
    sched_yield();
}

static void unlock(int self) {
  atomic_store_explicit(&flag[self], 0, memory_order_release);
}

static void act(int thread, int round) {
  (void)round;
  for (int i = 0; i < 3; i++) {
    lock(thread);
    inside++;
    unlock(thread);
  }
}

int main(void) {
  run_rounds(2, act);
  check(inside == 2 * 3 * ROUNDS, "both threads got inside", ROUNDS);
}
