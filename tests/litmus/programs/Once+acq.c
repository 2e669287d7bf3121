// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Once+acq: double-checked initialisation.
// Verdict: robust (0/62)
// Why: the acquire load of the fast path sees what was initialised.
// Twin: Once+rlx

#include "litmus.h"

#include <pthread.h>
#include <stdatomic.h>

struct shared {
  atomic_int done;
  pthread_mutex_t m;
  long data; // a shadow cell (8 bytes) of its own, so that none of its few entries is lost
  long r[2];
};

static void use_once(struct shared *s, long *result) {
  step();
  if (!atomic_load_explicit(&s->done, memory_order_acquire)) {
    step_lock(&s->m);
    pthread_mutex_lock(&s->m);
    step();
    if (!atomic_load_explicit(&s->done, memory_order_relaxed)) {
      step();
      s->data = 1;
      step();
      atomic_store_explicit(&s->done, 1, memory_order_release);
    }
    step_unlock(&s->m);
    pthread_mutex_unlock(&s->m);
  }
  step();
  *result = s->data;
}

static void init(void *shared) {
  pthread_mutex_init(&((struct shared *)shared)->m, NULL);
}

static void fini(void *shared) {
  pthread_mutex_destroy(&((struct shared *)shared)->m);
}

static void thread_0(void *shared) {
  struct shared *s = shared;
  use_once(s, &s->r[0]);
}

static void thread_1(void *shared) {
  struct shared *s = shared;
  use_once(s, &s->r[1]);
}

static int weak(const void *shared) {
  const struct shared *s = shared;
  return s->r[0] != 1 || s->r[1] != 1;
}

const struct litmus litmus_program = {
    .size = sizeof(struct shared),
    .threads = 2,
    .thread = {thread_0, thread_1},
    .init = init,
    .fini = fini,
    .weak = weak,
};
