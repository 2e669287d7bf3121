// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dekker's lock with relaxed accesses and fences. Too weak: one thread lacks the seq_cst fence
// between raising its flag and looking at the other's.

#include "weak.h"

enum { ROUNDS = 10 };

static atomic_int flag[2], turn;
static int inside;

static void lock(int self) {
  STORE(flag[self], 1, relaxed);
  if (self == 0)
    SC_FENCE();
  while (LOAD(flag[1 - self], relaxed)) {
    if (LOAD(turn, relaxed) != self) {
      STORE(flag[self], 0, relaxed);
      while (LOAD(turn, relaxed) != self)
        sched_yield();
      STORE(flag[self], 1, relaxed);
      SC_FENCE();
    }
  }
  atomic_thread_fence(memory_order_acquire);
}

static void unlock(int self) {
  atomic_thread_fence(memory_order_release);
  STORE(turn, 1 - self, relaxed);
  STORE(flag[self], 0, relaxed);
}

static void *thread(void *argument) {
  const int self = (int)(intptr_t)argument;
  for (int i = 0; i < ROUNDS; i++) {
    lock(self);
    inside = inside + 1;
    unlock(self);
  }
  return NULL;
}

int main(void) {
  run_threads(2, thread);
  return inside != 2 * ROUNDS;
}
