// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Store buffering: each thread stores to its own variable and loads the other's; both may miss the
// other's store.
//
// Smallest repair: 2 fences, one between store and load in each thread.

#include "rounds.h"

#include <stdatomic.h>

static atomic_int x[ROUNDS], y[ROUNDS];
static int found_x[ROUNDS], found_y[ROUNDS];

APART static void first(int round) {
  atomic_store_explicit(&x[round], 1, memory_order_release);
  FENCE();
  found_y[round] = atomic_load_explicit(&y[round], memory_order_acquire);
}

APART static void second(int round) {
  atomic_store_explicit(&y[round], 1, memory_order_release);
  FENCE();
  found_x[round] = atomic_load_explicit(&x[round], memory_order_acquire);
}

static void act(int thread, int round) {
  if (thread == 0)
    first(round);
  else
    second(round);
}

int main(void) {
  run_rounds(2, act);
  for (int i = 0; i < ROUNDS; i++)
    check(found_x[i] || found_y[i], "both loads missed the other store", i);
}
