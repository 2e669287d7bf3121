// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Condition+locked: a condition set and tested under its mutex.
// Verdict: robust (0/5)
// Why: the mutex publishes the data with the condition.
// Twin: Condition+unlocked

#include "litmus.h"

#include <pthread.h>
#include <stdatomic.h>

struct shared {
  atomic_int ready;
  pthread_mutex_t m;
  int data, r;
};

static void init(void *shared) {
  pthread_mutex_init(&((struct shared *)shared)->m, NULL);
}

static void fini(void *shared) {
  pthread_mutex_destroy(&((struct shared *)shared)->m);
}

static void thread_0(void *shared) {
  struct shared *s = shared;
  step();
  s->data = 1;
  step_lock(&s->m);
  pthread_mutex_lock(&s->m);
  step();
  atomic_store_explicit(&s->ready, 1, memory_order_relaxed);
  step_unlock(&s->m);
  pthread_mutex_unlock(&s->m);
}

static void thread_1(void *shared) {
  struct shared *s = shared;
  step_lock(&s->m);
  pthread_mutex_lock(&s->m);
  step();
  int ready = atomic_load_explicit(&s->ready, memory_order_relaxed);
  step_unlock(&s->m);
  pthread_mutex_unlock(&s->m);
  if (ready) {
    step();
    s->r = s->data;
  }
}

const struct litmus litmus_program = {
    .size = sizeof(struct shared),
    .threads = 2,
    .thread = {thread_0, thread_1},
    .init = init,
    .fini = fini,
};
