// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SB+mutex: relaxed store buffering, each access under one mutex.
// Verdict: robust (0/6)
// Why: the mutex orders everything.
// Twin: SB+mutex+bare

#include "litmus.h"

#include <pthread.h>
#include <stdatomic.h>

struct shared {
  atomic_int x, y;
  pthread_mutex_t m;
  int r[2];
};

static void init(void *shared) {
  pthread_mutex_init(&((struct shared *)shared)->m, NULL);
}

static void fini(void *shared) {
  pthread_mutex_destroy(&((struct shared *)shared)->m);
}

static void thread_0(void *shared) {
  struct shared *s = shared;
  step_lock(&s->m);
  pthread_mutex_lock(&s->m);
  step();
  atomic_store_explicit(&s->x, 1, memory_order_relaxed);
  step_unlock(&s->m);
  pthread_mutex_unlock(&s->m);
  step_lock(&s->m);
  pthread_mutex_lock(&s->m);
  step();
  s->r[0] = atomic_load_explicit(&s->y, memory_order_relaxed);
  step_unlock(&s->m);
  pthread_mutex_unlock(&s->m);
}

static void thread_1(void *shared) {
  struct shared *s = shared;
  step_lock(&s->m);
  pthread_mutex_lock(&s->m);
  step();
  atomic_store_explicit(&s->y, 1, memory_order_relaxed);
  step_unlock(&s->m);
  pthread_mutex_unlock(&s->m);
  step_lock(&s->m);
  pthread_mutex_lock(&s->m);
  step();
  s->r[1] = atomic_load_explicit(&s->x, memory_order_relaxed);
  step_unlock(&s->m);
  pthread_mutex_unlock(&s->m);
}

static int weak(const void *shared) {
  const struct shared *s = shared;
  return s->r[0] == 0 && s->r[1] == 0;
}

const struct litmus litmus_program = {
    .size = sizeof(struct shared),
    .threads = 2,
    .thread = {thread_0, thread_1},
    .init = init,
    .fini = fini,
    .weak = weak,
};
