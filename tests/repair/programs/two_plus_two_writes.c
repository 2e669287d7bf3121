// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 2+2W: two stores each, to two variables in opposite orders; the first stores may both end up on
// top.
//
// Smallest repair: 2 fences, one between the stores of each thread.

#include "rounds.h"

#include <stdatomic.h>

static atomic_int x[ROUNDS], y[ROUNDS];

APART static void first(int round) {
  atomic_store_explicit(&x[round], 1, memory_order_release);
  FENCE();
  atomic_store_explicit(&y[round], 2, memory_order_release);
}

APART static void second(int round) {
  atomic_store_explicit(&y[round], 1, memory_order_release);
  FENCE();
  atomic_store_explicit(&x[round], 2, memory_order_release);
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
    check(atomic_load(&x[i]) == 2 || atomic_load(&y[i]) == 2, "both first stores came last", i);
}
