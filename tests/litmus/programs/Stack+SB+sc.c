// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stack+SB+sc: store buffering between a thread and its child, on the thread's stack, all seq_cst.
// Verdict: robust (0/6)
// Why: as SB+sc.
// Twin: Stack+SB+rel+acq

#include "litmus.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct on_stack {
  atomic_int x, y;
  int r[2];
};

struct shared {
  int r[2];
};

static void *child(void *on_stack) {
  struct on_stack *s = on_stack;
  litmus_enter(1);
  step();
  atomic_store(&s->y, 1);
  step();
  s->r[1] = atomic_load(&s->x);
  litmus_leave();
  return NULL;
}

static void thread_0(void *shared) {
  struct shared *result = shared;
  struct on_stack local = {0}, *s = &local;
  pthread_t thread;
  if (pthread_create(&thread, NULL, child, s) != 0)
    abort();
  step();
  atomic_store(&s->x, 1);
  step();
  s->r[0] = atomic_load(&s->y);
  litmus_leave();
  pthread_join(thread, NULL);
  result->r[0] = s->r[0];
  result->r[1] = s->r[1];
}

static int weak(const void *shared) {
  const struct shared *s = shared;
  return s->r[0] == 0 && s->r[1] == 0;
}

const struct litmus litmus_program = {
    .size = sizeof(struct shared),
    .threads = 2,
    .children = 1,
    .thread = {thread_0},
    .weak = weak,
};
