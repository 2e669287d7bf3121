// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two threads compute Fibonacci numbers together: one adds j to i, the other one i to j, ROUNDS
// times each. Neither can come above the number that turns taken in strict alternation give.
//
// -DWEAKENED: the loads and stores are relaxed in place of seq_cst.

#include "threads.h"

#ifndef ROUNDS
#define ROUNDS 4
#endif
#ifdef WEAKENED
#define ORDER memory_order_relaxed
#else
#define ORDER memory_order_seq_cst
#endif

static atomic_int number[2] = {1, 1};

static int look(int which) {
  return atomic_load_explicit(&number[which], ORDER);
}

static void *add(void *argument) {
  const int mine = number_of(argument);
  for (int i = 0; i < ROUNDS; i++) {
    const int sum = look(mine) + look(1 - mine);
    atomic_store_explicit(&number[mine], sum, ORDER);
  }
  return NULL;
}

int main(void) {
  run_all((function *[]){add, add}, 2);
  int last = 1, highest = 1;
  for (int i = 0; i < 2 * ROUNDS; i++) {
    const int sum = last + highest;
    last = highest;
    highest = sum;
  }
  require(LOAD(number[0], relaxed) <= highest && LOAD(number[1], relaxed) <= highest);
  return 0;
}
