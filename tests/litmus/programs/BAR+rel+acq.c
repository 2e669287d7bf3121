// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// BAR+rel+acq: each thread stores its flag and spins on the other one, at most three times.
// Verdict: not robust (10/14)
// Why: a plain load may miss the flag that SC puts before it and spin once more; a blocking wait
//   could not.
// Twin: BAR+rel+acq+fences

#include "litmus.h"

#include <stdatomic.h>

struct shared {
  atomic_int x, y;
};

static void meet(atomic_int *mine, atomic_int *other) {
  step();
  atomic_store_explicit(mine, 1, memory_order_release);
  for (int i = 0; i < 3; i++) {
    step();
    if (atomic_load_explicit(other, memory_order_acquire))
      break;
  }
}

static void thread_0(void *shared) {
  struct shared *s = shared;
  meet(&s->x, &s->y);
}

static void thread_1(void *shared) {
  struct shared *s = shared;
  meet(&s->y, &s->x);
}

const struct litmus litmus_program = {
    .size = sizeof(struct shared),
    .threads = 2,
    .thread = {thread_0, thread_1},
    .flagged = "000011 000101 000110 00101 00110 11001 11010 111001 111010 111100",
};
