// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dekker+rel+acq: Dekker's entry to a critical section, tried once, without fences.
// Verdict: not robust (20/32)
// Why: as in SB both threads may miss the other one's flag, and enter.
// Twin: Dekker+rel+acq+fences

#include "litmus.h"

#include <stdatomic.h>

struct shared {
  atomic_int x, y;
  int data;
};

static void enter_and_leave(struct shared *s, atomic_int *mine, atomic_int *other) {
  step();
  atomic_store_explicit(mine, 1, memory_order_release);
  step();
  if (atomic_load_explicit(other, memory_order_acquire) == 0) {
    step();
    s->data++;
  }
  step();
  atomic_store_explicit(mine, 0, memory_order_release);
}

static void thread_0(void *shared) {
  struct shared *s = shared;
  enter_and_leave(s, &s->x, &s->y);
}

static void thread_1(void *shared) {
  struct shared *s = shared;
  enter_and_leave(s, &s->y, &s->x);
}

const struct litmus litmus_program = {
    .size = sizeof(struct shared),
    .threads = 2,
    .thread = {thread_0, thread_1},
    .flagged = "00001111 00010111 0001101 0001110 00100111 0010101 0010110 0011001 0011010 "
               "0011100 1100011 1100101 1100110 1101001 1101010 11011000 1110001 1110010 "
               "11101000 11110000",
};
