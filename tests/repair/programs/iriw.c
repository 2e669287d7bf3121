// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// IRIW: two writers, two readers that look at both variables in opposite orders and may disagree
// about which store came first.
//
// Smallest repair: 2 fences, one between the loads of each reader.

#include "rounds.h"

#include <stdatomic.h>

static atomic_int x[ROUNDS], y[ROUNDS];
static int first_x[ROUNDS], then_y[ROUNDS], first_y[ROUNDS], then_x[ROUNDS];

APART static void read_x_first(int round) {
  first_x[round] = atomic_load_explicit(&x[round], memory_order_acquire);
  FENCE();
  then_y[round] = atomic_load_explicit(&y[round], memory_order_acquire);
}

APART static void read_y_first(int round) {
  first_y[round] = atomic_load_explicit(&y[round], memory_order_acquire);
  FENCE();
  then_x[round] = atomic_load_explicit(&x[round], memory_order_acquire);
}

static void act(int thread, int round) {
  switch (thread) {
  case 0:
    atomic_store_explicit(&x[round], 1, memory_order_release);
    break;
  case 1:
    atomic_store_explicit(&y[round], 1, memory_order_release);
    break;
  case 2:
    read_x_first(round);
    break;
  default:
    read_y_first(round);
  }
}

int main(void) {
  run_rounds(4, act);
  for (int i = 0; i < ROUNDS; i++)
    check(!(first_x[i] && !then_y[i] && first_y[i] && !then_x[i]), "the readers disagree", i);
}
