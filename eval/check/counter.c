// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two threads increment a counter ROUNDS times each, by a load and a store: increments are lost,
// but two at least are left.
//
// -DWEAKENED: the test asks for all of them.

#include "threads.h"

#ifndef ROUNDS
#define ROUNDS 5
#endif
#ifdef WEAKENED
#define LEAST (2 * ROUNDS)
#else
#define LEAST 2
#endif

static atomic_int counter;

static void *count(void *unused) {
  for (int i = 0; i < ROUNDS; i++)
    STORE(counter, LOAD(counter, relaxed) + 1, relaxed);
  return unused;
}

int main(void) {
  run_all((function *[]){count, count}, 2);
  const int left = LOAD(counter, relaxed);
  require(left >= LEAST && left <= 2 * ROUNDS);
  return 0;
}
