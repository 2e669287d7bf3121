// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dekker's critical section by fences, 2 threads, one turn each; a plain variable is written in it.
//
// -DWEAKENED: without the fence after raising the flag.

#include "threads.h"

#ifdef WEAKENED
#define LOOK_FENCE() ((void)0)
#else
#define LOOK_FENCE() FENCE(seq_cst)
#endif

static atomic_int flag[2], turn;
int variable; // not static: the writes would be left out of the program

static void raise_flag(int self) {
  STORE(flag[self], 1, relaxed);
  LOOK_FENCE();
}

static void *enter(void *number) {
  const int self = number_of(number), other = 1 - self;
  raise_flag(self);
  while (LOAD(flag[other], relaxed)) {
    if (LOAD(turn, relaxed) == self)
      continue;
    STORE(flag[self], 0, relaxed);
    while (LOAD(turn, relaxed) != self) {
    }
    raise_flag(self);
  }
  FENCE(acquire);
  variable = self;
  STORE(turn, other, relaxed);
  FENCE(release);
  STORE(flag[self], 0, relaxed);
  return NULL;
}

int main(void) {
  run_all((function *[]){enter, enter}, 2);
  return 0;
}
