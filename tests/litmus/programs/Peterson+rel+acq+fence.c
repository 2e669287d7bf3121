// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Peterson+rel+acq+fence: Peterson's lock, tried once, with an SC fence after turn only.
// Verdict: not robust (168/826)
// Why: the stores of flag and turn may still be taken in another order.
// Twin: Peterson+rel+acq+fences

#include "litmus.h"

#include <stdatomic.h>

struct shared {
  atomic_int flag[2], turn;
  int data;
};

static void enter_and_leave(struct shared *s, int self) {
  atomic_int *mine = &s->flag[self], *other = &s->flag[1 - self];
  step();
  atomic_store_explicit(mine, 1, memory_order_release);
  step();
  atomic_store_explicit(&s->turn, 1 - self, memory_order_release);
  step();
  atomic_thread_fence(memory_order_seq_cst);
  step();
  if (atomic_load_explicit(other, memory_order_acquire) != 0) {
    step();
    if (atomic_load_explicit(&s->turn, memory_order_acquire) != self)
      return;
  }
  step();
  s->data++;
  step();
  atomic_store_explicit(mine, 0, memory_order_release);
}

static void thread_0(void *shared) {
  struct shared *s = shared;
  enter_and_leave(s, 0);
}

static void thread_1(void *shared) {
  struct shared *s = shared;
  enter_and_leave(s, 1);
}

const struct litmus litmus_program = {
    .size = sizeof(struct shared),
    .threads = 2,
    .thread = {thread_0, thread_1},
};
