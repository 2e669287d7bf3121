// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A lock for readers and writers as in Linux for x86: one number, of which a reader takes 1 and a
// writer all. Too weak: a writer gives it back relaxed.

#include "weak.h"

enum { ALL = 0x100000, ROUNDS = 10 };

static atomic_int left = ALL;
static int data;

static void read_lock(void) {
  while (atomic_fetch_sub_explicit(&left, 1, memory_order_acquire) <= 0) {
    ADD(left, 1, relaxed);
    while (LOAD(left, relaxed) <= 0)
      sched_yield();
  }
}

static void write_lock(void) {
  while (atomic_fetch_sub_explicit(&left, ALL, memory_order_acquire) != ALL) {
    ADD(left, ALL, relaxed);
    while (LOAD(left, relaxed) != ALL)
      sched_yield();
  }
}

static void *thread(void *self) {
  for (int i = 0; i < ROUNDS; i++) {
    if ((intptr_t)self % 2 == i % 2) {
      read_lock();
      if (data < 0)
        abort();
      ADD(left, 1, release);
    } else {
      write_lock();
      data = data + 1;
      ADD(left, ALL, relaxed);
    }
  }
  return NULL;
}

int main(void) {
  run_threads(2, thread);
  return 0;
}
