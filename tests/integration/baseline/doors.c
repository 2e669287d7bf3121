// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// enter() has one defect, and with -DSECOND another one; with -DREPAIRED none. With -DCHANGED
// the statement of the first one is another.

#include <pthread.h>
#include <stdatomic.h>

#include "stage.h"

static atomic_int front[2], back[2];
static int seen[2];

static void enter(int me) {
#ifdef CHANGED
  atomic_store_explicit(&front[me], 1, memory_order_relaxed);
#else
  atomic_store_explicit(&front[me], 1, memory_order_release);
#endif
#ifdef REPAIRED
  atomic_thread_fence(memory_order_seq_cst);
#endif
  seen[me] += atomic_load_explicit(&front[!me], memory_order_acquire);
#ifdef SECOND
  atomic_store_explicit(&back[me], 1, memory_order_release);
  seen[me] += atomic_load_explicit(&back[!me], memory_order_acquire);
#else
  (void)back;
#endif
}

static void *first(void *arg) {
  enter(0);
  stage_reach(1);
  return arg;
}

static void *second(void *arg) {
  stage_await(1);
  enter(1);
  return arg;
}

int main(int argc, char **argv) {
  pthread_t one, two;
  (void)argv;
  if (pthread_create(&one, NULL, first, NULL) || pthread_create(&two, NULL, second, NULL))
    return 2;
  pthread_join(one, NULL);
  pthread_join(two, NULL);
  return argc > 1 ? 7 : 0;
}
