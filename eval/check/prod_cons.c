// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A producer hands ITEMS numbers to a consumer through a ring of SLOTS slots, each with a flag that
// says whether it is full.
//
// -DWEAKENED: the flag is set relaxed; the number may be stale.

#include "threads.h"

#ifndef ITEMS
#define ITEMS 20
#endif
#ifdef WEAKENED
#define FILL relaxed
#else
#define FILL release
#endif
#define STORE_AS(x, v, order) STORE(x, v, order)

enum { SLOTS = 2 };

static atomic_int full[SLOTS], item[SLOTS];

static void *produce(void *unused) {
  for (int i = 0; i < ITEMS; i++) {
    while (LOAD(full[i % SLOTS], acquire)) {
    }
    STORE(item[i % SLOTS], i, relaxed);
    STORE_AS(full[i % SLOTS], 1, FILL);
  }
  return unused;
}

static void *consume(void *unused) {
  for (int i = 0; i < ITEMS; i++) {
    while (!LOAD(full[i % SLOTS], acquire)) {
    }
    require(LOAD(item[i % SLOTS], relaxed) == i);
    STORE(full[i % SLOTS], 0, release);
  }
  return unused;
}

int main(void) {
  run_all((function *[]){produce, consume}, 2);
  return 0;
}
