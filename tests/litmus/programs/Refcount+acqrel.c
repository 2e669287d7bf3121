// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Refcount+acqrel: two owners of an object; the last one destroys it.
// Verdict: robust (0/6)
// Why: the acq_rel decrement of the last owner acquires what the other one did.
// Twin: Refcount+rlx

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
  if (atomic_fetch_sub_explicit(&s->count, 1, memory_order_acq_rel) != 1)
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
};
