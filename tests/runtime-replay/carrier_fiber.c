// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One fiber for each thread of the trace. A creation is an edge from the fiber that is current.
// Nothing joins a fiber, so that edge is made by a mutex which only these two ever lock: it is the
// same in both of the analysis' orders.

#include "carrier.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

void *__tsan_get_current_fiber(void);
void *__tsan_create_fiber(unsigned flags);
void __tsan_destroy_fiber(void *fiber);
void __tsan_switch_to_fiber(void *fiber, unsigned flags);

enum { SYNC = 0, NO_SYNC = 1 };

static void *main_fiber;
static void *fibers[CARRIER_MAX_THREADS];
static pthread_mutex_t *joins; // by joined thread; memory of its own for each trace

static void begin(void) {
  main_fiber = __tsan_get_current_fiber();
  joins = calloc(CARRIER_MAX_THREADS, sizeof *joins);
  if (!joins)
    carrier_die("out of memory");
  for (int t = 0; t < CARRIER_MAX_THREADS; t++)
    pthread_mutex_init(&joins[t], NULL);
}

static void end(void) {
  for (int t = 0; t < CARRIER_MAX_THREADS; t++)
    pthread_mutex_destroy(&joins[t]);
  free(joins);
}

static void start(uint32_t thread) {
  fibers[thread] = __tsan_create_fiber(0);
}

static void run(uint32_t thread, void (*act)(void *), void *argument) {
  __tsan_switch_to_fiber(fibers[thread], NO_SYNC);
  act(argument);
  __tsan_switch_to_fiber(main_fiber, NO_SYNC);
}

static void stop(uint32_t thread) {
  __tsan_switch_to_fiber(fibers[thread], NO_SYNC);
  __tsan_switch_to_fiber(main_fiber, SYNC);
  __tsan_destroy_fiber(fibers[thread]);
}

static void pass(void *mutex) {
  pthread_mutex_lock(mutex);
  pthread_mutex_unlock(mutex);
}

static void join(uint32_t joiner, uint32_t joined) {
  run(joined, pass, &joins[joined]);
  stop(joined);
  run(joiner, pass, &joins[joined]);
}

const struct carrier carrier_fibers = {begin, end, start, run, join, stop};
