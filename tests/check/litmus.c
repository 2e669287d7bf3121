// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The litmus programs of tests/litmus as tests of rsan_check(): under `rsan check` the program that
// is named is run once, by threads that nobody here schedules; else it is explored on fibers.

#include "litmus.h"

#include <stdio.h>
#include <stdlib.h>

#include "rsan.h"

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

static const struct litmus *program;
static void *shared;

static void set_up(void *unused) {
  (void)unused;
  shared = calloc(1, program->size);
  if (program->init)
    program->init(shared);
}

static bool is_sequentially_consistent(void *unused) {
  (void)unused;
  const bool weak = program->weak && program->weak(shared);
  if (program->fini)
    program->fini(shared);
  free(shared);
  return !weak;
}

#define THREAD(n)                                                                                  \
  static void run_##n(void *unused) {                                                              \
    (void)unused;                                                                                  \
    program->thread[n](shared);                                                                    \
  }
THREAD(0)
THREAD(1)
THREAD(2)
THREAD(3)

int main(int argc, char **argv) {
  static void (*const threads[LITMUS_MAX_THREADS])(void *) = {run_0, run_1, run_2, run_3};
  program = argc > 1 ? litmus_find(argv[1]) : NULL;
  if (!program) {
    fputs("usage: litmus-check PROGRAM\n", stderr);
    return 2;
  }
  const unsigned count = (unsigned)(program->threads - program->children);
  return rsan_check(set_up, count, threads, is_sequentially_consistent, NULL);
}
