// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MovedKey+rlx: a key and its value move into the place of others, behind a mark (Vyukov's hash map
// in xenium); the reader looks for the key, and behind the value for the mark.
// Verdict: not robust (2/20)
// Why: key and mark are accessed relaxed; who finds the new key may find the old value and no mark.
// Twin: MovedKey+rel+acq

#include "litmus.h"

#include <stdatomic.h>

struct shared {
  atomic_int mark, key, value;
  int found[3];
};

static void thread_0(void *shared) {
  struct shared *s = shared;
  step();
  atomic_store_explicit(&s->mark, 1, memory_order_relaxed);
  step();
  atomic_store_explicit(&s->key, 1, memory_order_relaxed);
  step();
  atomic_store_explicit(&s->value, 1, memory_order_release);
}

static void thread_1(void *shared) {
  struct shared *s = shared;
  step();
  s->found[0] = atomic_load_explicit(&s->key, memory_order_relaxed);
  step();
  s->found[1] = atomic_load_explicit(&s->value, memory_order_acquire);
  step();
  s->found[2] = atomic_load_explicit(&s->mark, memory_order_relaxed);
}

static int weak(const void *shared) {
  const struct shared *s = shared;
  return s->found[0] == 1 && s->found[2] == 0;
}

const struct litmus litmus_program = {
    .size = sizeof(struct shared),
    .threads = 2,
    .thread = {thread_0, thread_1},
    .weak = weak,
};
