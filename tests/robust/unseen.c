// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "unseen.h"

#include <sched.h>

static int whose_turn, arrived;

void unseen_release(int *word, int value) {
  __atomic_store_n(word, value, __ATOMIC_RELEASE);
}

int unseen_read(const int *from) {
  return __atomic_load_n(from, __ATOMIC_RELAXED);
}

void unseen_write(int *to, int value) {
  __atomic_store_n(to, value, __ATOMIC_RELAXED);
}

void unseen_begin(void) {
  __atomic_store_n(&arrived, 0, __ATOMIC_SEQ_CST);
  __atomic_store_n(&whose_turn, 0, __ATOMIC_SEQ_CST);
}

void unseen_await_turn(int turn) {
  while (__atomic_load_n(&whose_turn, __ATOMIC_SEQ_CST) != turn)
    sched_yield();
}

void unseen_pass_turn(int to) {
  __atomic_store_n(&whose_turn, to, __ATOMIC_SEQ_CST);
}

// The count grows from meeting to meeting: the next one ends at the next multiple.
void unseen_meet(int threads) {
  int end = (__atomic_fetch_add(&arrived, 1, __ATOMIC_SEQ_CST) / threads + 1) * threads;
  while (__atomic_load_n(&arrived, __ATOMIC_SEQ_CST) < end)
    sched_yield();
}
