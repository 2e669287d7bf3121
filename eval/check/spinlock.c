// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A test-and-set lock, THREADS threads, one turn each.
//
// -DWEAKENED: the lock is given back by a relaxed store.

#include "threads.h"

#ifndef THREADS
#define THREADS 3
#endif
#ifdef WEAKENED
#define GIVE_BACK relaxed
#else
#define GIVE_BACK release
#endif
#define STORE_AS(x, v, order) STORE(x, v, order)

static atomic_int taken, visits;

static void *visit(void *unused) {
  while (SWAP(taken, 1, acquire)) {
  }
  STORE(visits, LOAD(visits, relaxed) + 1, relaxed);
  STORE_AS(taken, 0, GIVE_BACK);
  return unused;
}

int main(void) {
  function *all[THREADS];
  for (int i = 0; i < THREADS; i++)
    all[i] = visit;
  run_all(all, THREADS);
  require(LOAD(visits, relaxed) == THREADS);
  return 0;
}
