// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The litmus programs of tests/litmus for `rsan check`: one run of the program that is named, by
// threads that nobody here schedules.

#include "litmus.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

const struct litmus *litmus_find(const char *name);

void step(void) {}
void step_lock(const void *mutex) {
  (void)mutex;
}
void step_unlock(const void *mutex) {
  (void)mutex;
}
void litmus_enter(int thread) {
  (void)thread;
}
void litmus_leave(void) {}

struct start {
  void (*function)(void *shared);
  void *shared;
};

static void *run_thread(void *argument) {
  const struct start *start = argument;
  start->function(start->shared);
  return NULL;
}

int main(int argc, char **argv) {
  const struct litmus *program = argc > 1 ? litmus_find(argv[1]) : NULL;
  if (!program) {
    fputs("usage: litmus-check PROGRAM\n", stderr);
    return 2;
  }
  void *shared = calloc(1, program->size);
  struct start start[LITMUS_MAX_THREADS];
  pthread_t thread[LITMUS_MAX_THREADS];
  const int threads = program->threads - program->children;
  if (program->init)
    program->init(shared);
  for (int t = 0; t < threads; t++) {
    start[t] = (struct start){program->thread[t], shared};
    if (pthread_create(&thread[t], NULL, run_thread, &start[t]) != 0)
      abort();
  }
  for (int t = 0; t < threads; t++)
    pthread_join(thread[t], NULL);
  const int weak = program->weak && program->weak(shared);
  if (program->fini)
    program->fini(shared);
  free(shared);
  return weak;
}
