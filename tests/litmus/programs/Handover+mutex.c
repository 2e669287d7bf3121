// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handover+mutex: two plain stores of one location under a mutex (a test of the scheduler).
// Verdict: robust (0/10)
// Why: the mutex orders the stores.
// Twin: Handover+race

#include "litmus.h"

#include <pthread.h>

struct shared {
  pthread_mutex_t m;
  int data;
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
  s->data = 1;
  step_unlock(&s->m);
  pthread_mutex_unlock(&s->m);
  step();
}

static void thread_1(void *shared) {
  struct shared *s = shared;
  step_lock(&s->m);
  pthread_mutex_lock(&s->m);
  step();
  s->data = 2;
  step_unlock(&s->m);
  pthread_mutex_unlock(&s->m);
  step();
}

const struct litmus litmus_program = {
    .size = sizeof(struct shared),
    .threads = 2,
    .thread = {thread_0, thread_1},
    .init = init,
    .fini = fini,
};
