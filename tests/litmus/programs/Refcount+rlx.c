// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Refcount+rlx: two owners whose decrements are relaxed.
// Verdict: race (6/6)
// Why: the last owner does not acquire what the other did.
// Twin: Refcount+acqrel

#include "litmus.h"

#include <stdatomic.h>

struct shared {
  atomic_int count;
  long data[2]; // a shadow cell (8 bytes) each, so that none of its few entries is lost
};

static void use_and_drop(struct shared *s, int self) {
  step();
  s->data[self] = 1;
  step();
  if (atomic_fetch_sub_explicit(&s->count, 1, memory_order_relaxed) != 1)
    return;
  step();
  s->data[0] = -1;
  step();
  s->data[1] = -1;
}

static void init(void *shared) {
  atomic_init(&((struct shared *)shared)->count, 2);
}

static void thread_0(void *shared) {
  struct shared *s = shared;
  use_and_drop(s, 0);
}

static void thread_1(void *shared) {
  struct shared *s = shared;
  use_and_drop(s, 1);
}

const struct litmus litmus_program = {
    .size = sizeof(struct shared),
    .threads = 2,
    .thread = {thread_0, thread_1},
    .init = init,
    .flagged = "001111 010111 011000 100111 101000 110000",
};
