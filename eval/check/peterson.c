// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Peterson's mutual exclusion, 2 threads, one turn each. Each writes a variable under the lock and
// must find its own value in it.
//
// -DWEAKENED: without the fence between raising the flag and looking at the other one.

#include "threads.h"

#ifdef WEAKENED
#define LOOK_FENCE() ((void)0)
#else
#define LOOK_FENCE() FENCE(seq_cst)
#endif

static atomic_int flag[2], turn, value;

static void *enter(void *number) {
  const int self = number_of(number), other = 1 - self;
  STORE(flag[self], 1, release);
  FENCE(seq_cst);
  STORE(turn, other, release);
  LOOK_FENCE();
  while (LOAD(flag[other], acquire) && LOAD(turn, acquire) == other) {
  }
  STORE(value, self, relaxed);
  require(LOAD(value, relaxed) == self);
  STORE(flag[self], 0, release);
  return NULL;
}

int main(void) {
  run_all((function *[]){enter, enter}, 2);
  return 0;
}
